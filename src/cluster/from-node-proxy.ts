import { GcError } from '../errors.ts';
import { type NodeParts, nodeFactsOf } from '../files/nodes/node-facts.ts';
import { readNode, readPod } from '../files/nodes/read-pods.ts';
import { readSummary } from '../files/nodes/read-summary.ts';
import { readFlagz } from '../files/nodes/read-text-output.ts';
import { fieldsOf, type Json, textOrEmpty } from '../kube/json-value.ts';
import { apiPath, refuseInvalid } from '../kube/path-segment.ts';
import { validateKubeletConfiguration } from '../kubelet/configuration/validate-configuration.ts';
import type { NodeFacts } from '../kubelet/node-facts.ts';
import { ApiFailure, failureOf } from './api-failure.ts';
import type { ClusterClient } from './connection/cluster-client.ts';
import { get, serverTimeOf } from './get.ts';
import { inParallel } from './in-parallel.ts';
import { answeredItem, answeredList } from './list/answered-list.ts';
import { parseJsonBody, readBody, UnreadableJson } from './read-body.ts';
import {
  type Answer,
  askForConfigz,
  askForText,
  ask as askOfReadKubelet,
  kubeletPath,
} from './settings/ask-for.ts';

export interface NodeChoice {
  /** Empty: all nodes that `selector` lets through. */
  readonly names: readonly string[];
  readonly selector?: string | undefined;
}

export interface FromNodeProxyOptions {
  /** Epoch milliseconds; undefined: the API server's clock. */
  readonly now?: number | undefined;
  /** Also find out when kubelets started, which takes a large answer of each. */
  readonly kubeletStart?: boolean | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

const nodesAtOnce = 4;

/**
 * The nodes of a cluster as their kubelets show them through the API server's node proxy. What may
 * not be read becomes a problem of the node; throws when a node is not there.
 */
export async function fromNodeProxy(
  client: ClusterClient,
  choice: NodeChoice,
  options: FromNodeProxyOptions = {},
): Promise<NodeFacts[]> {
  const { nodes, serverTime } = await findNodes(client, choice);
  const now = options.now ?? (serverTime === undefined ? Date.now() : Date.parse(serverTime));
  let done = 0;
  return inParallel(nodes, nodesAtOnce, async (object) => {
    const node = readNode(object);
    const pieces: NodeParts = { problems: [], node };
    const kubeletTold = await readKubelet(client, node.name, pieces, options.kubeletStart ?? false);
    if (!kubeletTold.pods) await readPodsOf(client, node.name, pieces);
    done += 1;
    options.onProgress?.(done, nodes.length);
    return nodeFactsOf(node.name, pieces, now);
  });
}

interface FoundNodes {
  readonly nodes: readonly Json[];
  /** RFC 3339. */
  readonly serverTime: string | undefined;
}

async function findNodes(client: ClusterClient, choice: NodeChoice): Promise<FoundNodes> {
  if (choice.names.length === 0) {
    const query = choice.selector ? `?labelSelector=${encodeURIComponent(choice.selector)}` : '';
    const { body, serverTime } = await ask(
      client,
      `/api/v1/nodes${query}`,
      'list nodes',
      answeredList,
    );
    const nodes = (body?.items ?? []).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    if (nodes.length > 0) return { nodes, serverTime };
    throw new GcError(choice.selector ? 'no node has these labels' : 'the cluster has no nodes', {
      code: 'no-such-node',
      suggestions: ['See what there is: kubectl get nodes --show-labels'],
    });
  }
  const names = [...new Set(choice.names)].map((name) => name.replace(/^nodes?\//, ''));
  for (const name of names) refuseInvalid('resource name', name);
  const answers = await inParallel(names, nodesAtOnce, (name) =>
    ask(client, apiPath('api', 'v1', 'nodes', name), `get node ${name}`, (body) =>
      answeredItem(body, name),
    ),
  );
  const missing = names.filter((_, index) => answers[index]?.body === undefined);
  if (missing.length > 0) {
    throw new GcError(missing.map((name) => `nodes "${name}" not found`).join(', '), {
      code: 'no-such-node',
      suggestions: ['See what there is: kubectl get nodes'],
    });
  }
  return {
    nodes: answers.flatMap(({ body }) => (body === undefined ? [] : [body])),
    serverTime: answers[0]?.serverTime,
  };
}

function nameOf(node: Json): string {
  return textOrEmpty(fieldsOf(node.metadata).name);
}

/** A GET that has to succeed; no body for a 404. */
async function ask<T>(
  client: ClusterClient,
  path: string,
  doing: string,
  read: (body: Buffer) => T,
): Promise<{ readonly body: T | undefined; readonly serverTime: string | undefined }> {
  try {
    const response = await get(client, path, 'application/json', {});
    if (response.status === 404) {
      await failureOf(response);
      return { body: undefined, serverTime: undefined };
    }
    if (response.status !== 200) throw await failureOf(response);
    return {
      body: read(await readBody(response)),
      serverTime: serverTimeOf(response),
    };
  } catch (cause) {
    if (!(cause instanceof ApiFailure) && !(cause instanceof UnreadableJson)) throw cause;
    throw new GcError(`cannot ${doing}: ${cause.message}`, { code: 'no-nodes', cause });
  }
}

const pageSize = 500;

/** Reads the pods of a node from the API server, where the kubelet does not tell them. */
async function readPodsOf(client: ClusterClient, node: string, pieces: NodeParts): Promise<void> {
  const selector = encodeURIComponent(`spec.nodeName=${node}`);
  const read: ReturnType<typeof readPod>[] = [];
  let token = '';
  try {
    do {
      const rest = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
      const path = `/api/v1/pods?fieldSelector=${selector}&limit=${pageSize}${rest}`;
      const response = await get(client, path, 'application/json', {});
      if (response.status !== 200) {
        const { message, status } = await failureOf(response);
        const reason = status === 401 || status === 403 ? 'forbidden' : 'unavailable';
        const said = `cannot list the pods of node ${node}: ${message}`;
        pieces.problems.push({ reason, message: said, resource: 'pods' });
        return;
      }
      const list = answeredList(await readBody(response));
      read.push(...list.items.map(readPod));
      token = list.continue;
    } while (token !== '');
  } catch (error) {
    if (!(error instanceof UnreadableJson || error instanceof ApiFailure)) throw error;
    const message = `cannot list the pods of node ${node}: ${error.message}`;
    pieces.problems.push({ reason: 'unreadable', message, resource: 'pods' });
    return;
  }
  pieces.pods = read.map(({ pod }) => pod);
  pieces.podContainers = read.flatMap(({ containers }) => containers);
}

const jsonType = 'application/json';
const advice =
  'reading it needs "get" on nodes/proxy; without it, save crictl output on the node and pass it with --from';

/** Asks the kubelet of a node, through the API server, for all that it tells. Answers whether it told its pods. */
export async function readKubelet(
  client: ClusterClient,
  node: string,
  pieces: NodeParts,
  wantsStart: boolean,
): Promise<{ readonly pods: boolean }> {
  let isRefused = false;
  /** Keeps an answer's problem; what is `optional` may be missing. */
  const taken = <T>({ body, problem }: Answer<T>, optional = false): T | undefined => {
    if (!problem) return body;
    isRefused = problem.reason === 'forbidden';
    const message = isRefused ? `${problem.message}; ${advice}` : problem.message;
    // A kubelet that does not answer in time is as good as none.
    const reason = problem.reason === 'timed-out' ? 'unavailable' : problem.reason;
    if (isRefused || !optional) pieces.problems.push({ ...problem, reason, message });
    return undefined;
  };
  const doing = (path: string) => `ask the kubelet of node ${node} for /${path}`;
  /** Who may not ask for one may not ask for the others. */
  const told = async <T>(path: string, read: (body: Buffer) => T): Promise<T | undefined> =>
    isRefused
      ? undefined
      : taken(
          await askOfReadKubelet(
            client,
            kubeletPath(node, path),
            doing(path),
            'nodes',
            jsonType,
            read,
          ),
        );
  /** Kubelets before v1.36 have no /flagz, and newer ones may have it turned off. */
  const optionalText = async (path: string): Promise<string | undefined> =>
    isRefused
      ? undefined
      : taken(await askForText(client, kubeletPath(node, path), doing(path), 'nodes'), true);
  const configuration = taken(await askForConfigz(client, node, doing('configz')));
  if (configuration) {
    pieces.settings = validateKubeletConfiguration(configuration).settings;
    pieces.settingsSource = 'configz';
  }
  const summary = await told('stats/summary', (body) => {
    const answer = parseJsonBody(body) as Json;
    if (answer.node === undefined) throw new UnreadableJson('the answer is no summary');
    return readSummary(answer);
  });
  if (summary) pieces.summary = summary;
  const pods = await told('pods', (body) => answeredList(body).items.map(readPod));
  if (pods) {
    pieces.pods = pods.map(({ pod }) => pod);
    pieces.podContainers = pods.flatMap(({ containers }) => containers);
  }
  const flags = readFlagz((await optionalText('flagz')) ?? '');
  if (flags) pieces.containerFlags = flags;
  if (wantsStart || (pieces.settings?.images.maxAge ?? 0) > 0) {
    const metrics = (await optionalText('metrics')) ?? '';
    const seconds = /^process_start_time_seconds (\S+)$/m.exec(metrics)?.[1];
    if (seconds !== undefined) pieces.kubeletStarted = Number(seconds) * 1000;
  }
  return { pods: pods !== undefined };
}
