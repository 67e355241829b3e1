import type { ClusterClient } from '../../client/cluster-client.ts';
import { isGcError } from '../../errors.ts';
import { apiPath } from '../../kube/path-segment.ts';
import { validateKubeletConfiguration } from '../../kubelet/validate-kubelet-configuration.ts';
import { answeredList } from '../cluster/answered-list.ts';
import { ApiFailure, failureOf } from '../cluster/api-failure.ts';
import { BodyTooLong, parseJson, readBody, UnreadableJson } from '../cluster/read-body.ts';
import { type Fields, fieldsOf } from './json-fields.ts';
import type { NodePieces } from './node-pieces.ts';
import { readFlagz } from './read-flagz.ts';
import { readPod } from './read-pods.ts';
import { readSummary } from './read-summary.ts';

const longestAnswer = 64 * 1024 * 1024;

/** Asks the kubelet of a node, through the API server, for all that it tells. Answers whether it told its pods. */
export async function readKubelet(
  client: ClusterClient,
  node: string,
  pieces: NodePieces,
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
    const { kubeletconfig } = parseJson(body) as Fields;
    if (kubeletconfig === undefined) throw new UnreadableJson('the answer is no configuration');
    pieces.settings = validateKubeletConfiguration(kubeletconfig).settings;
    pieces.settingsSource = 'configz';
  });
  await ask('stats/summary', (body) => {
    const answer = parseJson(body) as Fields;
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

function problemOf(node: string, path: string, error: Error): NodePieces['problems'][number] {
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
