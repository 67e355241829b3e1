import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { day, minute } from '../kube/time.ts';

/**
 * How long deletions are given before they are reported, in milliseconds: the one place for it.
 *
 * A deletion is young while its controllers still have time to act: pod GC waits 40 s and looks every 20 s, a namespace
 * is tried again within 60 s.
 */
const youngFor = minute;

/** A deletion at which a controller is at work is late after a day. */
const lateAfter = day;

/**
 * How old a deletion has to be before a finalizer of a program is offered for removal. A controller that failed tries
 * again after 1000 s at most, where it keeps to the limiter of client-go (DefaultTypedControllerRateLimiter of
 * util/workqueue), as controller-runtime does, too. A leader that was lost is replaced long before.
 */
export const removalAge = 20 * minute;

/** How long a deletion has lasted, in milliseconds; NaN of an object that is not being deleted. */
function ageOf({ deletionTimestamp = '' }: ObjectRecord, now: number): number {
  return now - Date.parse(deletionTimestamp);
}

/** Is the deletion so young that its controllers still have time to act? Not where its age is unknown. */
export function isYoung(record: ObjectRecord, now: number): boolean {
  return ageOf(record, now) < youngFor;
}

/** Has the deletion lasted long enough to be reported where nothing ends it, or where that is unknown? */
export function isDue(record: ObjectRecord, now: number): boolean {
  return isBeingDeleted(record) && ageOf(record, now) >= youngFor;
}

/** Has the deletion lasted long enough to be reported although a controller is at work? */
export function isLate(record: ObjectRecord, now: number): boolean {
  return ageOf(record, now) >= lateAfter;
}
