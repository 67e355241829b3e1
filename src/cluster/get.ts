import { isGcError } from '../errors.ts';
import { compareText } from '../kube/names.ts';
import type { ApiResponse, ClusterClient } from './connection/cluster-client.ts';
import { cancelled } from './network-error.ts';
import { backoff, defaultRetryPolicy, type RetryPolicy } from './pacing.ts';
import { drain } from './read-body.ts';

export interface GetOptions {
  readonly signal?: AbortSignal | undefined;
  /** How often and how soon failed requests are repeated; undefined: the client's own policy. */
  readonly retry?: RetryPolicy | undefined;
  /** Ask for answers as they are, not compressed. */
  readonly uncompressed?: boolean | undefined;
  /** As in ApiRequest. */
  readonly isLarge?: boolean | undefined;
}

/** A broken component stays broken during retries, and a diagnosis should report it soon. */
export const eager: GetOptions = { retry: { ...defaultRetryPolicy, tries: 2 } };

/**
 * Sends a GET, and again when the server says later (429 or 5xx) or drops the connection before answering.
 * Resolves with the last answer, whatever its status.
 */
export async function get(
  client: Pick<ClusterClient, 'request'>,
  path: string,
  accept: string,
  { signal, retry = defaultRetryPolicy, uncompressed, isLarge }: GetOptions,
): Promise<ApiResponse> {
  const { longestInAll = Infinity } = retry;
  const request = {
    path,
    headers: { accept, ...(uncompressed ? { 'accept-encoding': 'identity' } : {}) },
    ...(signal ? { signal } : {}),
    ...(isLarge && { isLarge: true }),
  };
  const began = performance.now();
  let waited = 0;
  for (let attempt = 1; ; attempt++) {
    const outcome = await client.request(request).catch((error: unknown) => {
      if (isGcError(error) && error.code === 'connection-dropped') return error;
      throw error;
    });
    const left = longestInAll - Math.max(waited, performance.now() - began);
    const asked = outcome instanceof Error ? undefined : retryAfter(outcome);
    // A server that asks for more time than there is may be ready earlier: one that reads its stored objects, say.
    const wanted = asked === undefined || asked > left ? backoff(attempt, retry) : asked;
    const wait = Math.min(wanted, retry.longestWait);
    const isLast = attempt >= retry.tries || wait > left;
    if (outcome instanceof Error) {
      if (isLast) throw outcome;
    } else {
      if (isLast || !temporaryStatuses.has(outcome.status)) return outcome;
      await drain(outcome);
    }
    waited += wait;
    await retry.sleep(wait, signal).catch((error: unknown) => {
      throw signal?.aborted ? cancelled(signal) : error;
    });
  }
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

/** The latest of the server's times, else our clock; RFC 3339. */
export function observedAtOf(serverTimes: readonly (string | undefined)[]): string {
  const [latest] = serverTimes
    .flatMap((time) => time ?? [])
    .sort(compareText)
    .reverse();
  return latest ?? `${new Date().toISOString().slice(0, -5)}Z`;
}

/** HTTP statuses after which the same request may be answered differently. */
export const temporaryStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** Milliseconds of the Retry-After header: seconds or a date. */
export function retryAfter({ headers }: Pick<ApiResponse, 'headers'>): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = value.endsWith('GMT') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/**
 * Metadata in protobuf is 6 to 15 times cheaper than JSON for server and client together; JSON
 * is what aggregated APIs without protobuf answer with.
 */
export const metadataList = partial('PartialObjectMetadataList');
export const metadataObject = partial('PartialObjectMetadata');
export const metadataObjectJson = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
/** In JSON, where managed fields or a stream of events are wanted; whole, where the server makes no less of it. */
export const metadataOrJson = `${metadataObjectJson},application/json`;
export const metadataListOrJson =
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
export const full = 'application/vnd.kubernetes.protobuf,application/json';
export const fullJson = 'application/json';

function partial(kind: string): string {
  const form = `as=${kind};g=meta.k8s.io;v=v1`;
  return `application/vnd.kubernetes.protobuf;${form},application/json;${form},application/json`;
}
