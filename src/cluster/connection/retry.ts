import { isGcError } from '../../errors.ts';
import { backoff, defaultRetryPolicy, type RetryPolicy } from '../pacing.ts';
import { readLimitedText } from './body.ts';
import type { ApiRequest, ApiResponse, ClusterClient } from './cluster-client.ts';
import { cancelled } from './network-error.ts';

/** A question: a request that changes nothing, so that it may be repeated. */
export type Question = Omit<ApiRequest, 'method' | 'body'>;

/**
 * Asks again when the server says later (429 or 5xx) or drops the connection before answering.
 * Resolves with the last answer, whatever its status.
 */
export async function requestWithRetry(
  client: ClusterClient,
  request: Question,
  policy: RetryPolicy = defaultRetryPolicy,
): Promise<ApiResponse> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt >= policy.tries;
    const outcome = await client.request(request).catch((error: unknown) => {
      if (isLast || !isDropped(error)) throw error;
      return undefined;
    });
    if (outcome !== undefined && (isLast || !temporaryStatuses.has(outcome.status))) return outcome;
    const asked = outcome === undefined ? undefined : retryAfter(outcome);
    // Read to its end, so that its connection can be used again.
    if (outcome) await readLimitedText(outcome.body, 64 * 1024).catch(() => undefined);
    const wait = asked ?? backoff(attempt, policy);
    await pause(Math.min(wait, policy.longestWait), request.signal, policy);
  }
}

/** HTTP statuses after which the same request may be answered differently. */
export const temporaryStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

function isDropped(error: unknown): boolean {
  return isGcError(error) && error.code === 'connection-dropped';
}

/** Milliseconds of the Retry-After header: seconds or a date. */
export function retryAfter({ headers }: Pick<ApiResponse, 'headers'>): number | undefined {
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
