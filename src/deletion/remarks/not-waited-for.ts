import { counted } from '../../kube/counts-by-kind.ts';
import {
  compareObjects,
  type ObjectReference,
  objectKey,
  referenceTo,
} from '../../kube/object-reference.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { namesOf, type RemarkInput } from './remark-input.ts';

/** Dependents that do not hold up an owner which is deleted in the foreground (GC-7, GC-23). */
export function notWaitedFor({ going, played, intent }: RemarkInput): PlanRemark[] {
  if (intent.order !== 'server') return [];
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
  const loose: ObjectReference[] = [];
  const left = new Map<string, ObjectReference>();
  for (const { record, identity, isTarget } of going) {
    if (isTarget) continue;
    const mine = record.ownerReferences.filter(({ uid }) => owners.has(uid));
    const isHolding = mine.some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    if (mine.length === 0 || isHolding) continue;
    loose.push(identity);
    for (const { uid } of mine) {
      const owner = owners.get(uid);
      if (owner) left.set(uid, referenceTo(owner));
    }
  }
  if (loose.length === 0) return [];
  const waiting = [...left.values()].sort(compareObjects);
  const objects = loose.sort(compareObjects);
  return [
    {
      code: 'not-waited-for',
      severity: 'note',
      message: `Foreground does not wait for ${counted(objects.length, 'dependent')} without blockOwnerDeletion: ${namesOf(objects)}. ${namesOf(waiting)} may be gone before ${objects.length === 1 ? 'it is' : 'they are'}.`,
      objects,
    },
  ];
}
