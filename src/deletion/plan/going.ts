import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Fate, Plan, PlannedObject } from './plan.ts';

const goes: ReadonlySet<Fate> = new Set(['deleted', 'recreated', 'terminating', 'unknown']);

/** What may be gone afterwards: at once, or once the finalizers that it waits for are removed. */
export function mayGo({ fate, then }: Pick<PlannedObject, 'fate' | 'then'>): boolean {
  return goes.has(fate) || (then !== undefined && goes.has(then));
}

/** Does it go only once finalizers are removed that others have set? */
export function goesThen({ then }: Pick<PlannedObject, 'then'>): boolean {
  return then === 'deleted' || then === 'recreated';
}

/** `4`, or `at least 4` where what was not read, or is not decided, may hold more. */
export function goingCount(plan: Plan): string {
  const count = plan.objects.filter(mayGo).length;
  return isOpen(plan) ? `at least ${count}` : `${count}`;
}

/** May more go than the plan names? */
export function isOpen(plan: Pick<Plan, 'coverage' | 'objects' | 'requests'>): boolean {
  const isUnknown = ({ fate, then }: PlannedObject) => fate === 'unknown' || then === 'unknown';
  return hidingDependents(plan).length > 0 || plan.objects.some(isUnknown);
}

/** What could not be read and may hold objects that go along. With Orphan nothing goes along. */
function hidingDependents({ coverage, requests }: Pick<Plan, 'coverage' | 'requests'>) {
  const orphansAll = requests.every(({ propagationPolicy }) => propagationPolicy === 'Orphan');
  return orphansAll ? [] : coverage.problems.filter(mayHideDependents);
}

/** Metrics are computed when they are asked for: there is nothing in them to delete. */
export function mayHideDependents({ resource, apiVersion = '' }: CoverageProblem): boolean {
  return resource !== 'persistentvolumes' && !/^(.+\.)?metrics\.k8s\.io(\/|$)/.test(apiVersion);
}
