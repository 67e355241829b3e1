import { isGcError } from '../../errors.ts';
import { fieldsOf, type Json } from '../../kube/json-value.ts';
import { apiPath } from '../../kube/path-segment.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { ApiFailure, failureOf } from '../api-failure.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { get, serverTimeOf } from '../get.ts';
import { type AnsweredList, answeredList, answeredObject } from '../list/answered-list.ts';
import { BodyTooLong, readBody, UnreadableJson } from '../read-body.ts';

export interface Answer<T> {
  readonly body: T | undefined;
  /** RFC 3339. */
  readonly serverTime: string | undefined;
  /** Why there is no body; a 404 is a problem, too. */
  readonly problem: CoverageProblem | undefined;
  readonly status: number | undefined;
}

const longest = 64 * 1024 * 1024;

/** GETs a JSON object. What cannot be had is a problem about `resource`. */
export function askFor(
  client: ClusterClient,
  path: string,
  doing: string,
  resource: string,
): Promise<Answer<Json>> {
  return ask(client, path, doing, resource, 'application/json', answeredObject);
}

/** GETs a list, or a page of one. */
export function askForList(
  client: ClusterClient,
  path: string,
  doing: string,
  resource: string,
): Promise<Answer<AnsweredList>> {
  return ask(client, path, doing, resource, 'application/json', answeredList);
}

/** GETs text. */
export function askForText(
  client: ClusterClient,
  path: string,
  doing: string,
  resource: string,
): Promise<Answer<string>> {
  return ask(client, path, doing, resource, 'text/plain', (body) => body.toString('utf8'));
}

/** GETs the KubeletConfiguration in force on a node, through the API server. */
export function askForConfigz(
  client: ClusterClient,
  node: string,
  doing: string,
): Promise<Answer<Json>> {
  return ask(client, kubeletPath(node, 'configz'), doing, 'nodes', 'application/json', (body) => {
    const { kubeletconfig } = answeredObject(body);
    if (kubeletconfig === undefined) throw new UnreadableJson('the answer is no configuration');
    return fieldsOf(kubeletconfig);
  });
}

/** Where the API server passes a request on to the kubelet of a node. */
export function kubeletPath(node: string, path: string): string {
  return `${apiPath('api', 'v1', 'nodes', node, 'proxy')}/${path}`;
}

/** GETs something and reads it; what `read` throws as UnreadableJson is a problem, too. */
export async function ask<T>(
  client: ClusterClient,
  path: string,
  doing: string,
  resource: string,
  accept: string,
  read: (body: Buffer) => T,
): Promise<Answer<T>> {
  try {
    // Kubelets that do not answer are not asked again: many nodes would take long.
    const isProxied = path.includes('/proxy/');
    const response = isProxied
      ? await client.request({ path, headers: { accept } })
      : await get(client, path, accept, {});
    const serverTime = serverTimeOf(response);
    const { status } = response;
    if (status !== 200) throw await failureOf(response);
    const body = read(await readBody(response, longest));
    return { body, serverTime, problem: undefined, status };
  } catch (error) {
    const { reason, status } = reasonOf(error);
    const message = `cannot ${doing}: ${(error as Error).message}`;
    return {
      body: undefined,
      serverTime: undefined,
      problem: { reason, message, resource },
      status,
    };
  }
}

function reasonOf(error: unknown): {
  readonly reason: CoverageProblem['reason'];
  readonly status: number | undefined;
} {
  if (error instanceof ApiFailure) {
    const { status } = error;
    return { reason: status === 401 || status === 403 ? 'forbidden' : 'unavailable', status };
  }
  if (error instanceof UnreadableJson || error instanceof BodyTooLong) {
    return { reason: 'unreadable', status: undefined };
  }
  if (isGcError(error)) {
    const reason = error.code === 'request-timeout' ? 'timed-out' : 'unavailable';
    return { reason, status: undefined };
  }
  throw error;
}
