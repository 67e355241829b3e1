import { isGcError } from '../errors.ts';
import { compareText } from '../kube/names.ts';
import type { ApiResponse, ClusterClient } from './connection/cluster-client.ts';
import { defaultRetryPolicy, Retries, type RetryPolicy } from './pacing.ts';
import { readBody } from './read-body.ts';

export interface GetOptions {
  readonly signal?: AbortSignal | undefined;
  /** How often and how soon failed requests are repeated; undefined: the client's own policy. */
  readonly retry?: RetryPolicy | undefined;
  /** The attempts that were made of it already; undefined: none. */
  readonly retries?: Retries | undefined;
  /** Is the next attempt made at the time of Retry-After, or as without it? Undefined: at that time. */
  readonly heedsRetryAfter?: ((response: ApiResponse) => Promise<boolean>) | undefined;
  /** Ask for answers as they are, not compressed. */
  readonly uncompressed?: boolean | undefined;
  /** As in ApiRequest. */
  readonly prefersHttp2?: boolean | undefined;
}

/** A broken component stays broken during retries, and a diagnosis should report it soon. */
export const fewRetries: GetOptions = { retry: { ...defaultRetryPolicy, tries: 2 } };

/**
 * Sends a GET, and again when the server says later (429 or 5xx) or drops the connection before answering.
 * Resolves with the last answer, whatever its status.
 */
export async function get(
  client: Pick<ClusterClient, 'request'>,
  path: string,
  accept: string,
  options: GetOptions,
): Promise<ApiResponse> {
  const {
    signal,
    retry,
    retries = new Retries(retry, signal),
    uncompressed,
    prefersHttp2,
  } = options;
  const request = {
    path,
    headers: { accept, ...(uncompressed ? { 'accept-encoding': 'identity' } : {}) },
    ...(signal ? { signal } : {}),
    ...(prefersHttp2 && { prefersHttp2: true }),
  };
  for (;;) {
    const outcome = await client.request(request).catch((error: unknown) => {
      if (isGcError(error) && error.code === 'connection-dropped') return error;
      throw error;
    });
    if (outcome instanceof Error) {
      const wait = retries.nextWait();
      if (wait === undefined) throw outcome;
      await retries.sleep(wait);
    } else {
      if (!isTemporaryFailure(outcome)) return outcome;
      const answer = await repeatable(outcome);
      const isHeeded = (await options.heedsRetryAfter?.(answer())) ?? true;
      const wait = retries.nextWait(isHeeded ? retryAfter(outcome) : undefined);
      if (wait === undefined) return answer();
      await retries.sleep(wait);
    }
  }
}

const longestRefusal = 64 * 1024;

/** The same answer, read to its end: to be read again, and so that its connection can be used again. */
async function repeatable(response: ApiResponse): Promise<() => ApiResponse> {
  const body = await readBody(response, longestRefusal).catch(() => Buffer.alloc(0));
  return () => ({
    ...response,
    body: (async function* () {
      yield body;
    })(),
  });
}

/** May the same request be answered differently? Mirrors checkWait of client-go where the server asks to wait. */
function isTemporaryFailure(response: ApiResponse): boolean {
  const { status } = response;
  return temporaryStatuses.has(status) || (status > 500 && retryAfter(response) !== undefined);
}

/** The Date header as RFC 3339; undefined when there is none. */
export function serverTimeOf({ headers: { date = '' } }: ApiResponse): string | undefined {
  if (date !== lastTime.date) lastTime = { date, time: rfc3339Of(date) };
  return lastTime.time;
}

/** Many answers come within a second, and have the same. */
let lastTime: { readonly date: string; readonly time: string | undefined } = {
  date: '',
  time: undefined,
};

function rfc3339Of(date: string): string | undefined {
  const time = Date.parse(date);
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
