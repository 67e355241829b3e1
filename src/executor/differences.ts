import type { Fate, PlannedObject } from '../plan/plan.ts';
import type { Ending, Observation } from '../plan/progress-event.ts';
import type { Happening } from './execution.ts';
import type { TrackedObject } from './tracked-object.ts';

type Difference = Extract<Happening, { type: 'difference' }>;

/** What each fate looks like when it has come true. */
const expected: Readonly<Record<Fate, readonly Observation[]>> = {
  deleted: ['gone'],
  recreated: ['gone', 'recreated'],
  orphaned: ['orphaned'],
  kept: ['kept', 'orphaned'],
  terminating: ['terminating'],
  unknown: ['gone', 'terminating', 'orphaned', 'kept', 'recreated'],
};

/**
 * Where the end is not what was predicted. What has not happened yet is no difference when the run
 * was interrupted, or when it was never asked for (`expectedUids` does not have it).
 */
export function differences(
  objects: Iterable<TrackedObject>,
  ended: Ending,
  expectedUids: ReadonlySet<string>,
): Difference[] {
  const found: Difference[] = [];
  for (const object of objects) {
    const observed = observationOf(object);
    const { planned } = object;
    if (observed === 'unknown' || expected[planned.fate].includes(observed)) continue;
    if (observed === 'gone' && waitedForFinalizers(planned)) continue;
    const isLate = observed === 'kept' || observed === 'terminating';
    const wasAsked = ended !== 'interrupted' && expectedUids.has(planned.uid);
    if (isLate && planned.fate !== 'kept' && !wasAsked) continue;
    found.push({ type: 'difference', object: planned, predicted: planned.fate, observed });
  }
  return found;
}

/** Whose finalizers others remove: that they did is what the plan says it waits for. */
function waitedForFinalizers({ fate, blockedBy }: PlannedObject): boolean {
  const finalizers = blockedBy.filter(({ kind }) => kind === 'finalizer').length;
  return fate === 'terminating' && finalizers > 0 && finalizers === blockedBy.length;
}

function observationOf({ blind, present, observation }: TrackedObject): Observation {
  if (blind !== undefined || present === undefined) return 'unknown';
  return observation ?? 'kept';
}
