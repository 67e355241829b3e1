import type { PlanRemark } from '../plan/plan.ts';
import { podsThatMayStay } from '../plan/pods-that-stay.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** Pods of other namespaces may be deleted because these end and stay, and they could not be listed. */
export function endedPodsElsewhere({ context, going }: RemarkInput): PlanRemark[] {
  if (!context.endedPodsUnread) return [];
  const records = going.map(({ record }) => record);
  const objects = identitiesOf(podsThatMayStay(records, context.settings));
  if (objects.length === 0) return [];
  const message = `More may be deleted: finished Pods of other namespaces could not be listed. While a finalizer blocks ${namesOf(objects)}, pod garbage collection may delete the oldest of them.`;
  return [{ code: 'ended-pods', severity: 'note', message, objects }];
}
