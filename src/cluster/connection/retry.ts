import { setTimeout as delay } from 'node:timers/promises';
import { isGcError } from '../../errors.ts';
import type { ApiRequest, ApiResponse, ClusterClient } from './cluster-client.ts';
import { cancelled } from './network-error.ts';

/** Times in milliseconds. */
export interface RetryPolicy {
  /** Attempts in all. */
  readonly tries: number;
  /** Wait before the second attempt; doubled before each further one. */
  readonly firstWait: number;
  /** No wait is longer, whatever the server asks for. */
  readonly longestWait: number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
  /** From 0 to 1; spreads the waits of clients that failed together. */
  readonly random: () => number;
}

export const defaultRetryPolicy: RetryPolicy = {
  tries: 5,
  firstWait: 250,
  longestWait: 30_000,
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
  random: Math.random,
};

/**
 * Sends a request again when the server says later (429, or 5xx to a GET) or drops the connection
 * of a GET before answering. Resolves with the last answer, whatever its status.
 */
export async function requestWithRetry(
  client: ClusterClient,
  request: ApiRequest,
  policy: RetryPolicy = defaultRetryPolicy,
): Promise<ApiResponse> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt >= policy.tries;
    const backoff = policy.firstWait * 2 ** (attempt - 1) * (0.5 + policy.random() / 2);
    const outcome = await client.request(request).catch((error: unknown) => {
      if (isLast || !isDropped(error) || !isGet(request)) throw error;
      return undefined;
    });
    if (outcome !== undefined && (isLast || !mayRetry(request, outcome))) return outcome;
    const asked = outcome === undefined ? undefined : retryAfter(outcome);
    if (outcome !== undefined) await discard(outcome);
    await pause(Math.min(asked ?? backoff, policy.longestWait), request.signal, policy);
  }
}

function mayRetry(request: ApiRequest, response: ApiResponse): boolean {
  // 429 means "not begun", so it is safe to repeat anything; the rest may have had an effect.
  if (response.status === 429) return isGet(request) || retryAfter(response) !== undefined;
  return isGet(request) && [500, 502, 503, 504].includes(response.status);
}

function isGet({ method = 'GET' }: ApiRequest): boolean {
  return method === 'GET';
}

function isDropped(error: unknown): boolean {
  return isGcError(error) && error.code === 'connection-dropped';
}

/** Milliseconds of the Retry-After header: seconds or a date. */
function retryAfter({ headers }: ApiResponse): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = value.endsWith('GMT') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

async function pause(
  milliseconds: number,
  signal: AbortSignal | undefined,
  policy: RetryPolicy,
): Promise<void> {
  try {
    await policy.sleep(milliseconds, signal);
  } catch (error) {
    throw signal?.aborted ? cancelled(signal) : error;
  }
}

/** Reads a short answer to its end, so that its connection can be used again. */
async function discard({ body }: ApiResponse): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > 64 * 1024) break;
    }
  } catch {
    // The answer is given up anyway.
  }
}
