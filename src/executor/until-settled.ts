import type { Ending } from '../plan/progress-event.ts';
import type { Execution } from './execution.ts';
import { isMet } from './goals.ts';
import { quietTime } from './quiet-time.ts';
import type { TrackedObject } from './tracked-object.ts';
import type { TrackedObjects } from './tracked-objects.ts';

/**
 * Waits until all of these are gone, or orphaned where that is planned. What the plan says stays is
 * not waited for: once the rest is done, some time without news ends it (`settled`). What nobody
 * can see is not waited for either.
 */
export async function untilSettled(
  execution: Execution,
  tracked: TrackedObjects,
  expected: readonly TrackedObject[],
): Promise<Ending> {
  const { pace, stop, options } = execution;
  const isUnmet = (object: TrackedObject) => object.blind === undefined && !isMet(object, tracked);
  // Looked at from its end, so that a step costs no more than what it brought about.
  let open = expected.filter(isUnmet);
  for (;;) {
    if (options.signal?.aborted) return 'interrupted';
    if (stop.aborted) return 'timed-out';
    for (let last = open.at(-1); last && !isUnmet(last); last = open.at(-1)) open.pop();
    if (open.length === 0) open = expected.filter(isUnmet);
    if (open.length > 0) {
      await tracked.bell.wait(Number.POSITIVE_INFINITY, stop);
      continue;
    }
    const left = expected.filter(({ present }) => present !== false);
    // What the plan did not know may be about to go as well.
    if (left.length === 0 && tracked.unplanned.size === 0) return 'gone';
    const wait = tracked.lastChange + quietTime(left, pace) - performance.now();
    if (wait <= 0) return 'settled';
    await tracked.bell.wait(wait, stop);
  }
}

/** Waits until these are gone or cannot be seen, which kubectl takes for success. */
export async function untilGone(
  { stop, options }: Execution,
  tracked: TrackedObjects,
  objects: readonly TrackedObject[],
): Promise<Ending> {
  for (;;) {
    const isLeft = objects.some(({ present, blind }) => present !== false && blind === undefined);
    if (!isLeft) return 'gone';
    if (options.signal?.aborted) return 'interrupted';
    if (stop.aborted) return 'timed-out';
    await tracked.bell.wait(Number.POSITIVE_INFINITY, stop);
  }
}
