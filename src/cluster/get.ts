import type { ApiResponse, ClusterClient } from './connection/cluster-client.ts';
import { backoff, defaultRetryPolicy, type RetryPolicy } from './pacing.ts';

export interface GetOptions {
  readonly signal?: AbortSignal | undefined;
  /** How often and how soon failed requests are repeated; undefined: the client's own policy. */
  readonly retry?: RetryPolicy | undefined;
  /** Ask for answers as they are, not compressed. */
  readonly uncompressed?: boolean | undefined;
}

/** Sends a GET, again after 429, 5xx and a dropped connection; resolves with the last answer whatever its status. */
export async function get(
  client: ClusterClient,
  path: string,
  accept: string,
  options: GetOptions,
): Promise<ApiResponse> {
  const { requestWithRetry } = await import('./connection/retry.ts');
  const request = {
    path,
    headers: { accept, ...(options.uncompressed ? { 'accept-encoding': 'identity' } : {}) },
    ...(options.signal ? { signal: options.signal } : {}),
  };
  return requestWithRetry(client, request, options.retry);
}

/** Waits before an answer that broke off is asked for again; false once it was tried often enough. */
export async function mayTryAgain(failures: number, options: GetOptions): Promise<boolean> {
  const policy = options.retry ?? defaultRetryPolicy;
  if (failures >= policy.tries || options.signal?.aborted) return false;
  await policy.sleep(backoff(failures, policy), options.signal);
  return true;
}

/** The Date header as RFC 3339; undefined when there is none. */
export function serverTimeOf(response: ApiResponse): string | undefined {
  const time = Date.parse(response.headers.date ?? '');
  return Number.isNaN(time) ? undefined : `${new Date(time).toISOString().slice(0, -5)}Z`;
}

/** The latest of the server's times, else the given clock; RFC 3339. */
export function observedAtOf(
  serverTimes: readonly (string | undefined)[],
  now: () => Date = () => new Date(),
): string {
  let latest: string | undefined;
  for (const time of serverTimes) {
    if (time !== undefined && (latest === undefined || time > latest)) latest = time;
  }
  return latest ?? `${now().toISOString().slice(0, -5)}Z`;
}
