import { FOREGROUND, ORPHAN } from '../kube/object-record.ts';
import type { Pace } from './execution.ts';
import type { TrackedObject } from './tracked-object.ts';

/** How long nothing must have happened until what is left is taken to stay, in milliseconds. */
export function quietTime(left: readonly TrackedObject[], pace: Pace): number {
  // What lives on has nothing to wait for: a moment is enough to see whether it goes all the same.
  const isSettled = left.every(({ planned: { fate } }) => fate === 'kept' || fate === 'orphaned');
  if (isSettled) return pace.quiet / 3;
  const hold = left.some(({ finalizers }) => finalizers.some((name) => !own.has(name)));
  return hold ? pace.quietWithFinalizers : pace.quiet;
}

/** The garbage collector's own finalizers: what they wait for is in the plan. */
const own = new Set([FOREGROUND, ORPHAN]);
