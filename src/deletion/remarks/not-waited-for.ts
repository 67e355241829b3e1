import { counted } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { objectKey } from '../../kube/object-reference.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** Dependents that do not hold up an owner which is deleted in the foreground (GC-7, GC-23). */
export function notWaitedFor({ going, played }: RemarkInput): PlanRemark[] {
  const foreground = new Set(
    played.with.steps.flatMap(({ policy, object }) =>
      policy === 'Foreground' ? [objectKey(object)] : [],
    ),
  );
  if (foreground.size === 0) return [];
  const owners = new Map(
    going.flatMap(({ record, key }) =>
      foreground.has(key) ? [[record.uid, record] as const] : [],
    ),
  );
  const loose: ObjectRecord[] = [];
  const left = new Set<ObjectRecord>();
  for (const { record, isTarget } of going) {
    if (isTarget) continue;
    const mine = record.ownerReferences.filter(({ uid }) => owners.has(uid));
    const isHolding = mine.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    if (mine.length === 0 || isHolding) continue;
    loose.push(record);
    for (const owner of mine.flatMap(({ uid }) => owners.get(uid) ?? [])) left.add(owner);
  }
  if (loose.length === 0) return [];
  const objects = identitiesOf(loose);
  const they = objects.length === 1 ? 'it is' : 'they are';
  const message = `Foreground does not wait for ${counted(objects.length, 'dependent')} without blockOwnerDeletion: ${namesOf(objects)}. ${namesOf(identitiesOf(left))} may be gone before ${they}.`;
  return [{ code: 'not-waited-for', severity: 'note', message, objects }];
}
