import { shellCommand, suggested } from '../command-line/shell-command.ts';
import { GcError, isGcError } from '../errors.ts';
import { type NodeParts, nodeFactsOf } from '../files/nodes/node-facts.ts';
import { readNode, readPod } from '../files/nodes/read-pods.ts';
import { readSummary } from '../files/nodes/read-summary.ts';
import { readFlagz } from '../files/nodes/read-text-output.ts';
import type { Json } from '../kube/json-value.ts';
import { compareText, refuseInvalid } from '../kube/names.ts';
import { validateKubeletConfiguration } from '../kubelet/configuration/validate-configuration.ts';
import type { NodeFacts } from '../kubelet/node-facts.ts';
import { apiPath } from './api-path.ts';
import type { ClusterClient } from './connection/cluster-client.ts';
import { inParallel } from './in-parallel.ts';
import { answeredItem, answeredObject } from './list/answered-list.ts';
import { UnreadableJson } from './read-body.ts';
import {
  type AskedBody,
  aList,
  askFor,
  askForAll,
  askKubelet,
  configz,
  type Form,
  inJson,
  noSuchNodes,
  textForm,
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
    const parts: NodeParts = { problems: [], node };
    const hasPods = await readKubelet(client, node.name, parts, options.kubeletStart ?? false);
    if (!hasPods) await readPodsOf(client, node.name, parts);
    done += 1;
    options.onProgress?.(done, nodes.length);
    return nodeFactsOf(node.name, parts, now);
  });
}

async function findNodes(
  client: ClusterClient,
  { names: given, selector }: NodeChoice,
): Promise<{ readonly nodes: readonly Json[]; readonly serverTime: string | undefined }> {
  if (given.length === 0) {
    const query = selector ? `?labelSelector=${encodeURIComponent(selector)}` : '';
    const answer = await askFor(client, `/api/v1/nodes${query}`, 'list nodes', 'nodes', aList);
    const { items = [] } = required(answer) ?? {};
    const nodes = items.toSorted((a, b) =>
      compareText(String(a.metadata.name), String(b.metadata.name)),
    );
    if (nodes.length > 0) return { nodes, serverTime: answer.serverTime };
    throw new GcError(selector ? 'no node has these labels' : 'the cluster has no nodes', {
      code: 'no-such-node',
      suggestions: [suggested('To list the nodes', shellCommand`kubectl get nodes --show-labels`)],
    });
  }
  const names = [...new Set(given)].map((name) => name.replace(/^nodes?\//, ''));
  for (const name of names) refuseInvalid('resource name', name);
  const answers = await inParallel(names, nodesAtOnce, (name) => {
    const form = inJson((body) => answeredItem(body, name));
    const path = apiPath('api', 'v1', 'nodes', name);
    return askFor(client, path, `get node ${name}`, 'nodes', form);
  });
  const nodes = answers.flatMap((answer) => required(answer) ?? []);
  if (nodes.length === names.length) return { nodes, serverTime: answers[0]?.serverTime };
  throw noSuchNodes(names.filter((_, index) => answers[index]?.body === undefined));
}

/** The answer to a question that has to be answered; undefined for a 404. */
function required<T>({ body, problem, error, status }: AskedBody<T>): T | undefined {
  if (!problem || status === 404) return body;
  if (isGcError(error)) throw error;
  throw new GcError(problem.message, {
    code: 'no-nodes',
    suggestions: ['Ask as a user who may list nodes.'],
    cause: error,
  });
}

/** Reads the pods of a node from the API server, where the kubelet does not report them. */
async function readPodsOf(client: ClusterClient, node: string, parts: NodeParts): Promise<void> {
  const selector = encodeURIComponent(`spec.nodeName=${node}`);
  const path = `/api/v1/pods?fieldSelector=${selector}&limit=500`;
  const doing = `list the pods of node ${node}`;
  const { items, problem } = await askForAll(client, path, doing, 'pods');
  if (problem) parts.problems.push(problem);
  else keepPods(parts, items);
}

function keepPods(parts: NodeParts, objects: readonly Json[]): void {
  const pods = objects.map(readPod);
  parts.pods = pods.map(({ pod }) => pod);
  parts.podContainers = pods.flatMap(({ containers }) => containers);
}

const advice =
  'reading it needs "get" on nodes/proxy; without it, save crictl output on the node and pass it with --from';

/**
 * Asks the kubelet of a node, through the API server, for all that it reports. Returns whether it
 * reported its pods.
 */
async function readKubelet(
  client: ClusterClient,
  node: string,
  parts: NodeParts,
  wantsStart: boolean,
): Promise<boolean> {
  let isRefused = false;
  /** Keeps the problem of an answer; what is `optional` may be missing. Who may not ask for one may not ask for others. */
  const readPart = async <T>(
    path: string,
    form: Form<T>,
    optional = false,
  ): Promise<T | undefined> => {
    if (isRefused) return undefined;
    const { body, problem } = await askKubelet(client, node, path, form);
    if (!problem) return body;
    isRefused = problem.reason === 'forbidden';
    const message = isRefused ? `${problem.message}; ${advice}` : problem.message;
    // A kubelet that does not answer in time is as good as none.
    const reason = problem.reason === 'timed-out' ? 'unavailable' : problem.reason;
    if (isRefused || !optional) parts.problems.push({ ...problem, reason, message });
    return undefined;
  };
  const configuration = await readPart('configz', configz);
  if (configuration) {
    parts.settings = validateKubeletConfiguration(configuration).settings;
    parts.settingsSource = 'configz';
  }
  const summary = await readPart('stats/summary', inJson(summaryIn));
  if (summary) parts.summary = summary;
  const pods = await readPart('pods', aList);
  if (pods) keepPods(parts, pods.items);
  // Kubelets before v1.36 have no /flagz, and newer ones may have it turned off.
  const flags = readFlagz((await readPart('flagz', textForm, true)) ?? '');
  if (flags) parts.containerFlags = flags;
  if (wantsStart || (parts.settings?.images.maxAge ?? 0) > 0) {
    const metrics = (await readPart('metrics', textForm, true)) ?? '';
    const seconds = /^process_start_time_seconds (\S+)$/m.exec(metrics)?.[1];
    if (seconds !== undefined) parts.kubeletStarted = Number(seconds) * 1000;
  }
  return pods !== undefined;
}

function summaryIn(body: Buffer) {
  const answer = answeredObject(body);
  if (answer.node === undefined) throw new UnreadableJson('the answer is not a summary');
  return readSummary(answer);
}
