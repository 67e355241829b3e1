import { controllerOf } from '../../controllers/decision.ts';
import { adopterKinds, adopts } from '../../controllers/workloads/adoption.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { objectKey } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** What is orphaned and has no controller in the end: nothing adopts it, or one of several does. */
export function adopted({ played, fateOf, after }: RemarkInput): PlanRemark[] {
  const loose = played.touched.flatMap((object) => {
    const { end, isTarget } = object;
    const fate = fateOf(object);
    if (!end || isTarget || controllerOf(end)) return [];
    if (fate !== 'orphaned' && fate !== 'kept') return [];
    const kind = groupResourceOf(end.type);
    const kinds = adopterKinds.filter(({ takes }) => takes.includes(kind));
    if (kinds.length === 0) return [];
    const adopters = kinds
      .filter(({ controller }) => played.isEnabled(controller))
      .flatMap(({ resource }) => after.in(resource, end.namespace))
      .filter((adopter) => adopts(adopter, end));
    return [{ end, adopters }];
  });
  const groups = Map.groupBy(loose, ({ adopters }) =>
    adopters.some(({ facts }) => !facts) ? unread : namesOf(identitiesOf(adopters)),
  );
  return [...groups].map(([names, group]) => {
    const objects = identitiesOf(group.map(({ end }) => end));
    const them = objects.length === 1 ? 'it' : 'them';
    const message =
      names === ''
        ? `Nothing that was seen adopts ${namesOf(objects)}; a new controller with the same selector would adopt ${them}.`
        : names === unread
          ? `Whether another controller adopts ${namesOf(objects)} is not known: selectors were not read.`
          : `${names} have matching selectors: one of them adopts ${namesOf(objects)}.`;
    return { code: 'adopted', severity: 'note', message, objects };
  });
}

/** In place of names. */
const unread = 'unread';

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
