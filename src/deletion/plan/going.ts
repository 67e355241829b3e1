import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import type { Fate, Plan, PlannedObject, PlanRemark } from './plan.ts';
import { unreadOf } from './unread-content.ts';

/** What goes, or is on its way. */
export const goingFates: ReadonlySet<Fate> = new Set(['deleted', 'recreated', 'terminating']);
const goes: ReadonlySet<Fate> = new Set([...goingFates, 'unknown']);

/** What may be gone afterwards: at once, or once the finalizers that it waits for are removed. */
export function mayGo({ fate, then }: Pick<PlannedObject, 'fate' | 'then'>): boolean {
  return goes.has(fate) || (then !== undefined && goes.has(then));
}

/** Does it go only once finalizers are removed that others have set? */
export function goesThen({ then }: Pick<PlannedObject, 'then'>): boolean {
  return then === 'deleted' || then === 'recreated';
}

/** `4 objects`, or `at least 4 objects` where what was not read, or is not decided, may hold more. */
export function goingCount(plan: Plan): string {
  const objects = counted(plan.objects.filter(mayGo).length, 'object');
  return isOpen(plan) ? `at least ${objects}` : objects;
}

/** May more go than the plan names? */
export function isOpen(plan: Pick<Plan, 'coverage' | 'objects' | 'requests'>): boolean {
  const isUnknown = ({ fate, then }: PlannedObject) => fate === 'unknown' || then === 'unknown';
  return unreadOf(plan).length > 0 || plan.objects.some(isUnknown);
}

/** Does a remark say that data goes which no controller makes again? */
export function isAboutData({ code, severity }: PlanRemark): boolean {
  return code === 'data' || (code === 'custom-resources' && severity === 'warning');
}

/**
 * `the data of 4 PersistentVolumes, 3 Secrets and all objects of 1 CustomResourceDefinition`; empty where no data
 * is known to go.
 */
export function dataThatGoes({ remarks }: Pick<Plan, 'remarks'>): string {
  const { data = [], definitions = [] } = Object.groupBy(remarks.filter(isAboutData), ({ code }) =>
    code === 'data' ? 'data' : 'definitions',
  );
  const holders = countsByKind(data.flatMap(({ objects }) => objects));
  return [
    ...(holders === '' ? [] : [`the data of ${holders}`]),
    ...(definitions.length > 0
      ? [`all objects of ${counted(definitions.length, 'CustomResourceDefinition')}`]
      : []),
  ].join(' and ');
}
