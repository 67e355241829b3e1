import type { ObjectRecord } from '../../kube/object-record.ts';
import type { Inquiry } from '../inquiry.ts';

/**
 * Milliseconds that a deletion has to be old before a finalizer of a program is offered for removal.
 * A controller that failed tries again after 1000 seconds at most, where it keeps to the limiter of
 * client-go (DefaultTypedControllerRateLimiter of util/workqueue), as controller-runtime does, too.
 * A leader that was lost is replaced long before.
 */
export const removalAge = 20 * 60_000;

/** What keeps a deletion from being old enough; undefined when it is. */
export function tooYoung(inquiry: Inquiry, record: ObjectRecord): string | undefined {
  const { deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = record;
  const began = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  const age = serverTime(inquiry, record) - began;
  if (age >= removalAge) return undefined;
  const minutes = removalAge / 60_000;
  const since = Number.isNaN(age)
    ? 'when the deletion began is not told'
    : `the deletion began only ${Math.max(0, Math.round(age / 1000))}s ago`;
  return `${since}, and a program that failed may try again for up to ${minutes} minutes`;
}

/**
 * The moment at which the server answered, regardless of --now; for a file, the time of its
 * snapshot.
 */
function serverTime(inquiry: Inquiry, { type, namespace, name }: ObjectRecord): number {
  if (inquiry.origin === 'files') return inquiry.now;
  const reading = inquiry.ask({ ask: 'object', type, namespace, name });
  return reading.state === 'pending' ? Number.NaN : Date.parse(reading.readAt);
}
