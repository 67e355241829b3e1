import { enabledControllers } from '../../controllers/settings/enabled-controllers.ts';
import { compareText } from '../../kube/names.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { compareObjects, objectKey, referenceTo } from '../../kube/object-reference.ts';
import { printedKindOf } from '../../kube/resource-type.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { clusterAfter, type Recreation, recreationOf } from '../plan/recreation.ts';
import type { TouchedObject } from '../plan/touched-objects.ts';
import { countsByKind, firstOf, identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** Who makes again what is deleted, and what would have to be deleted instead. */
export function recreated({ recreations, after }: RemarkInput): PlanRemark[] {
  const groups = Map.groupBy(recreations, ([, { owner, who, certain, doubt }]) =>
    [owner?.type.kind ?? who, certain, doubt].join(' '),
  );
  return [...groups.values()].map((group) => {
    const objects = group.map(([{ identity }]) => identity).sort(compareObjects);
    const [, first] = group[0] as readonly [TouchedObject, Recreation];
    const makers = [...new Set(group.map(([, { who }]) => who))].sort(compareText);
    const roots = [
      ...new Set(group.flatMap(([, { owner }]) => (owner ? [spelled(rootOf(owner, after))] : []))),
    ].sort(compareText);
    const who = firstOf(makers);
    const verb = makers.length === 1 ? 'makes' : 'make';
    const them = objects.length === 1 ? 'it' : 'them';
    const instead =
      roots.length === 0
        ? ''
        : ` To be rid of ${them}, delete ${firstOf(roots)} instead, or scale down.`;
    const what = countsByKind(objects);
    const message = first.certain
      ? `${who} ${verb} ${what} again.${instead}`
      : `${who} may make ${what} again: ${first.doubt}.${instead}`;
    return { code: 'recreated', severity: first.certain ? 'warning' : 'note', message, objects };
  });
}

/** The last living controller above an object. */
function rootOf(owner: ObjectRecord, after: RemarkInput['after']): ObjectRecord {
  const seen = new Set<ObjectRecord>();
  let at = owner;
  while (!seen.has(at)) {
    seen.add(at);
    const reference = at.ownerReferences.find(({ controller }) => controller === true);
    const above = reference && after.living(reference.uid);
    if (!above) break;
    at = above;
  }
  return at;
}

function spelled({ type, name }: ObjectRecord): string {
  return `${printedKindOf(type)}/${name}`;
}

/** From the leaves up, a controller whose turn has not come makes again what was deleted before it. */
export function remadeMeanwhile({ intent, going, played, snapshot }: RemarkInput): PlanRemark[] {
  if (intent.order !== 'leaf-first') return [];
  const waves = new Map(played.requests.map((request) => [objectKey(request), request.wave]));
  const before = clusterAfter(snapshot.records);
  const isEnabled = enabledControllers(['*']);
  const remade = going.flatMap(({ record, identity, key }) => {
    const recreation = recreationOf(record, before, isEnabled);
    const owner = recreation?.certain === true ? recreation.owner : undefined;
    const later = owner && waves.get(objectKey(referenceTo(owner)));
    const mine = waves.get(key);
    if (!owner || later === undefined || mine === undefined || later <= mine) return [];
    return [{ identity, owner }];
  });
  if (remade.length === 0) return [];
  const objects = remade.map(({ identity }) => identity).sort(compareObjects);
  const owners = identitiesOf(new Set(remade.map(({ owner }) => owner)));
  const message = `Until it is their turn, ${namesOf(owners)} make ${countsByKind(objects)} again, and those go with them only in the end. Scale down first, or delete in the server's order.`;
  return [{ code: 'recreated', severity: 'warning', message, objects }];
}
