import { counted } from '../../kube/counts-by-kind.ts';
import type { Fate, Plan, PlannedObject } from './plan.ts';
import { mayDeleteMore } from './unread-in-plan.ts';

type Fates = Pick<PlannedObject, 'fate' | 'then'>;

const disappearingFates: ReadonlySet<Fate> = new Set(['deleted', 'recreated', 'terminating']);

/** Is the object removed, or does its deletion begin: immediately, or after its blockers are removed? */
export function disappears(object: Fates): boolean {
  return disappearingFates.has(object.fate) || disappearsOnceReleased(object);
}

/** Is it removed only after the blockers are removed that it waits for? */
export function disappearsOnceReleased({ then }: Pick<Fates, 'then'>): boolean {
  return then === 'deleted' || then === 'recreated';
}

/** May it disappear? Objects with an unknown fate may. */
export function canDisappear({ fate, then = fate }: Fates): boolean {
  return [fate, then].some((one) => one === 'unknown' || disappearingFates.has(one));
}

/** The objects of a plan that may disappear: an upper bound. */
export function disappearingIn<Planned extends Fates>({
  objects,
}: {
  readonly objects: readonly Planned[];
}): Planned[] {
  return objects.filter(canDisappear);
}

/** `4 objects`; `at least 4 objects` if unread or undecided objects may be deleted as well. */
export function disappearingCount(plan: Plan): string {
  const objects = counted(disappearingIn(plan).length, 'object');
  return mayDeleteMore(plan) ? `at least ${objects}` : objects;
}
