import type { PlannedRequest } from '../plan/plan.ts';
import type { Execution } from './execution.ts';
import { quietTime } from './quiet-time.ts';
import type { TrackedObject } from './tracked-object.ts';
import type { TrackedObjects } from './tracked-objects.ts';

/** Waits until a wave's objects are gone; resolves with the reason when that will not be seen. */
export async function waveIsGone(
  { pace, stop }: Execution,
  wave: readonly PlannedRequest[],
  tracked: TrackedObjects,
): Promise<string | undefined> {
  for (;;) {
    const left = wave.flatMap(({ uid }) => tracked.find(uid) ?? []).filter(isLeft);
    const [first] = left;
    if (!first || stop.aborted) return undefined;
    const { kind, name } = first.planned;
    if (first.blind !== undefined) {
      return `whether ${kind} ${name} of the wave before it is gone cannot be seen`;
    }
    const isStuck = left.every(({ planned }) => planned.fate === 'terminating');
    const wait = tracked.lastChange + quietTime(left, pace) - performance.now();
    if (isStuck && wait <= 0) return `${kind} ${name} of the wave before it is still there`;
    await tracked.bell.wait(isStuck ? wait : Number.POSITIVE_INFINITY, stop);
  }
}

function isLeft({ present }: TrackedObject): boolean {
  return present !== false;
}
