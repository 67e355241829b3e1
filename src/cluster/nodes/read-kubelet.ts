import { isGcError } from '../../errors.ts';
import type { NodeParts } from '../../files/nodes/node-facts.ts';
import { readPod } from '../../files/nodes/read-pods.ts';
import { readSummary } from '../../files/nodes/read-summary.ts';
import { readFlagz } from '../../files/nodes/read-text-output.ts';
import { fieldsOf, type Json } from '../../kube/json-value.ts';
import { apiPath } from '../../kube/path-segment.ts';
import { validateKubeletConfiguration } from '../../kubelet/configuration/validate-configuration.ts';
import { ApiFailure, failureOf } from '../api-failure.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { answeredList } from '../list/answered-list.ts';
import { BodyTooLong, parseJsonBody, readBody, UnreadableJson } from '../read-body.ts';

const longestAnswer = 64 * 1024 * 1024;

/** Asks the kubelet of a node, through the API server, for all that it tells. Answers whether it told its pods. */
export async function readKubelet(
  client: ClusterClient,
  node: string,
  pieces: NodeParts,
  wantsStart: boolean,
): Promise<{ readonly pods: boolean }> {
  const proxy = apiPath('api', 'v1', 'nodes', node, 'proxy');
  let isRefused = false;
  let pods = false;
  const ask = async (
    path: string,
    take: (body: Buffer) => void,
    { optional = false, accept = 'application/json' } = {},
  ): Promise<void> => {
    // Who may not ask for one may not ask for the others.
    if (isRefused) return;
    try {
      const response = await client.request({ path: `${proxy}/${path}`, headers: { accept } });
      if (response.status === 200) return take(await readBody(response, longestAnswer));
      const failure = await failureOf(response);
      isRefused = failure.status === 401 || failure.status === 403;
      if (!optional || isRefused) pieces.problems.push(problemOf(node, path, failure));
    } catch (error) {
      const isUnfit =
        error instanceof UnreadableJson ||
        error instanceof BodyTooLong ||
        error instanceof ApiFailure;
      if (!isGcError(error) && !isUnfit) throw error;
      if (!optional) pieces.problems.push(problemOf(node, path, error));
    }
  };
  await ask('configz', (body) => {
    const { kubeletconfig } = parseJsonBody(body) as Json;
    if (kubeletconfig === undefined) throw new UnreadableJson('the answer is no configuration');
    pieces.settings = validateKubeletConfiguration(kubeletconfig).settings;
    pieces.settingsSource = 'configz';
  });
  await ask('stats/summary', (body) => {
    const answer = parseJsonBody(body) as Json;
    if (answer.node === undefined) throw new UnreadableJson('the answer is no summary');
    pieces.summary = readSummary(answer);
  });
  await ask('pods', (body) => {
    const read = answeredList(body).items.map(readPod);
    pieces.pods = read.map(({ pod }) => pod);
    pieces.podContainers = read.flatMap(({ containers }) => containers);
    pods = true;
  });
  await ask(
    'flagz',
    (body) => {
      const flags = readFlagz(body.toString('utf8'));
      if (flags) pieces.containerFlags = flags;
    },
    // Kubelets before v1.36 have none, and newer ones may have it turned off.
    { optional: true, accept: 'text/plain' },
  );
  if (wantsStart || (pieces.settings?.images.maxAge ?? 0) > 0) {
    await ask(
      'metrics',
      (body) => {
        const seconds = /^process_start_time_seconds (\S+)$/m.exec(body.toString('utf8'))?.[1];
        if (seconds !== undefined) pieces.kubeletStarted = Number(seconds) * 1000;
      },
      { optional: true, accept: 'text/plain' },
    );
  }
  return { pods };
}

function problemOf(node: string, path: string, error: Error): NodeParts['problems'][number] {
  const status = (error as Partial<ApiFailure>).status;
  const asked = `cannot ask the kubelet of node ${node} for /${path}: ${fieldsOf(error).message ?? error.message}`;
  if (status === 401 || status === 403) {
    const advice =
      'reading it needs "get" on nodes/proxy; without it, save crictl output on the node and pass it with --from';
    return { reason: 'forbidden', message: `${asked}; ${advice}`, resource: 'nodes' };
  }
  if (error instanceof UnreadableJson) {
    return { reason: 'unreadable', message: asked, resource: 'nodes' };
  }
  return { reason: 'unavailable', message: asked, resource: 'nodes' };
}
