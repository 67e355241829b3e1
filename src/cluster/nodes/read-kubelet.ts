import type { NodeParts } from '../../files/nodes/node-facts.ts';
import { readPod } from '../../files/nodes/read-pods.ts';
import { readSummary } from '../../files/nodes/read-summary.ts';
import { readFlagz } from '../../files/nodes/read-text-output.ts';
import type { Json } from '../../kube/json-value.ts';
import { validateKubeletConfiguration } from '../../kubelet/configuration/validate-configuration.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { answeredList } from '../list/answered-list.ts';
import { parseJsonBody, UnreadableJson } from '../read-body.ts';
import { type Answer, ask, askForConfigz, askForText, kubeletPath } from '../settings/ask-for.ts';

const json = 'application/json';
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
      : taken(await ask(client, kubeletPath(node, path), doing(path), 'nodes', json, read));
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
