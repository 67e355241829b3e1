import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { GcError, isGcError } from '../../errors.ts';
import { fieldsOf, type Json } from '../../kube/json-value.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { ApiFailure, failureOf, isDenied } from '../api-failure.ts';
import { apiPath } from '../api-path.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { get, serverTimeOf } from '../get.ts';
import { type AnsweredList, answeredList, answeredObject } from '../list/answered-list.ts';
import { jsonPages } from '../list/list-in-full.ts';
import { readBody, UnreadableJson } from '../read-body.ts';

export interface AskedBody<T> {
  readonly body: T | undefined;
  /** RFC 3339. */
  readonly serverTime: string | undefined;
  /** Why there is no body; a 404 is a problem, too. */
  readonly problem: CoverageProblem | undefined;
  /** What was thrown, where there is a problem. */
  readonly error: unknown;
  readonly status: number | undefined;
}

/** What is asked for, and how it is read; what `read` throws as UnreadableJson is a problem. */
export interface Form<T> {
  readonly accept: string;
  readonly read: (body: Buffer) => T;
}

export function inJson<T>(read: (body: Buffer) => T): Form<T> {
  return { accept: 'application/json', read };
}

export const anObject = inJson(answeredObject);
export const aList: Form<AnsweredList> = inJson(answeredList);
export const textForm: Form<string> = {
  accept: 'text/plain',
  read: (body) => body.toString('utf8'),
};
/** The KubeletConfiguration in force, at /configz of a kubelet. */
export const configz: Form<Json> = inJson((body) => {
  const { kubeletconfig } = answeredObject(body);
  if (kubeletconfig === undefined) throw new UnreadableJson('the answer is not a configuration');
  return fieldsOf(kubeletconfig);
});

/** GETs something, to do what `doing` says. What cannot be had is a problem about `resource`. */
export async function askFor<T>(
  client: ClusterClient,
  path: string,
  doing: string,
  resource: string,
  { accept, read }: Form<T>,
): Promise<AskedBody<T>> {
  try {
    // Kubelets that do not answer are not asked again: many nodes would take long.
    const isProxied = path.includes('/proxy/');
    const response = isProxied
      ? await client.request({ path, headers: { accept } })
      : await get(client, path, accept, {});
    const serverTime = serverTimeOf(response);
    const { status } = response;
    if (status !== 200) throw await failureOf(response);
    const body = read(await readBody(response));
    return { body, serverTime, problem: undefined, error: undefined, status };
  } catch (error) {
    const problem = problemAbout(resource, doing, error);
    const status = error instanceof ApiFailure ? error.status : undefined;
    return { body: undefined, serverTime: undefined, problem, error, status };
  }
}

/** GETs `path` of a node's kubelet through the API server, which asks for permission on nodes/proxy. */
export async function askKubelet<T>(
  client: ClusterClient,
  node: string,
  path: string,
  form: Form<T>,
): Promise<AskedBody<T>> {
  const doing = `ask the kubelet of node ${node} for /${path}`;
  const proxy = apiPath('api', 'v1', 'nodes', node, 'proxy');
  return askFor(client, `${proxy}/${path}`, doing, 'nodes/proxy', form);
}

/** Why it could not be done; throws the error again when it is about something else. */
function problemAbout(resource: string, doing: string, error: unknown): CoverageProblem {
  const message = `cannot ${doing}: ${(error as Error).message}`;
  return { reason: failureReason(error), message, resource };
}

function failureReason(error: unknown): CoverageProblem['reason'] {
  // A refusal of the API server has a reason; a text alone is that of a proxy, or of the kubelet, on the way.
  if (error instanceof ApiFailure) {
    return isDenied(error) && error.reason ? 'forbidden' : 'unavailable';
  }
  if (error instanceof UnreadableJson) return 'unreadable';
  if (isGcError(error)) return error.code === 'request-timeout' ? 'timed-out' : 'unavailable';
  throw error;
}

/** The objects of a list, page after page; `path` has a query. A page that cannot be had is the last. */
export async function askForAll(
  client: ClusterClient,
  path: string,
  doing: string,
  resource: string,
): Promise<{ readonly items: KubeObject[]; readonly problem: CoverageProblem | undefined }> {
  const items: KubeObject[] = [];
  try {
    for await (const page of jsonPages(client, path))
      for (const item of page.items) items.push(item);
    return { items, problem: undefined };
  } catch (error) {
    return { items, problem: problemAbout(resource, doing, error) };
  }
}

export function noSuchNodes(names: readonly string[]): GcError {
  return new GcError(names.map((name) => `nodes "${name}" not found`).join(', '), {
    code: 'no-such-node',
    suggestions: [suggested('To list the nodes', shellCommand`kubectl get nodes`)],
  });
}
