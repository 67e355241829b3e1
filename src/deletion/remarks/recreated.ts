import { adopterKinds, adopts } from '../../controllers/workloads/adopters.ts';
import { toolOf } from '../../delivery/tools.ts';
import { counted, countsByKind, firstOf } from '../../kube/counts-by-kind.ts';
import { compareText } from '../../kube/names.ts';
import { controllerOf, type ObjectRecord } from '../../kube/object-record.ts';
import { compareObjects, type ObjectReference } from '../../kube/object-reference.ts';
import { groupResourceOf, printedKindOf } from '../../kube/resource-type.ts';
import type { PlanRemark } from '../plan/plan.ts';
import type { TouchedObject } from '../plan/play/touched-objects.ts';
import type { Recreation } from '../plan/recreation.ts';
import { deletedWith, identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** The controllers that recreate deleted objects, and what to delete instead. */
export function recreated({ recreations, after }: RemarkInput): PlanRemark[] {
  const groups = Map.groupBy(recreations, ([, { owner, who, doubt, when }]) =>
    [owner?.type.kind ?? who, doubt, when].join(' '),
  );
  return [...groups.values()].map((group) => {
    const objects = group.map(([{ identity }]) => identity).sort(compareObjects);
    const [, first] = group[0] as readonly [TouchedObject, Recreation];
    const makers = [...new Set(group.map(([, { who }]) => who))].sort(compareText);
    const roots = [
      ...new Set(group.flatMap(([, { owner }]) => (owner ? [rootOf(owner, after)] : []))),
    ];
    const who = firstOf(makers);
    const verb = makers.length === 1 ? 'recreates' : 'recreate';
    const them = objects.length === 1 ? 'it' : 'them';
    const advice = adviceFor(roots, objects, them);
    const instead = advice === '' ? '' : ` To delete ${them} for good, ${advice}.`;
    const what = countsByKind(objects);
    const isCertain = first.doubt === undefined;
    const message = isCertain
      ? `${who} ${verb} ${what}${first.when === undefined ? '' : ` ${first.when}`}.${instead}`
      : `${who} may recreate ${what}: ${first.doubt}.${instead}`;
    return { code: 'recreated', severity: isCertain ? 'warning' : 'note', message, objects };
  });
}

/** What keeps the owners of objects of one kind from recreating them. */
function adviceFor(
  roots: readonly ObjectRecord[],
  objects: readonly ObjectReference[],
  them: string,
): string {
  if (roots.length === 0) return '';
  const names = firstOf(roots.map(kindAndName).sort(compareText));
  const kinds = [...new Set(roots.map(({ type }) => groupResourceOf(type)))];
  const kind = kinds.length === 1 ? (kinds[0] ?? '') : '';
  const made = new Set(objects.map((object) => object.kind));
  const tools = roots.flatMap((root) => toolOf(root) ?? []);
  if (tools.some(({ isDeletedInstead }) => !isDeletedInstead))
    return `remove ${them} from what ${names} applies, or suspend that first`;
  if (kind === 'nodes') {
    const where = roots.length === 1 ? 'that node' : 'those nodes';
    return made.has('Pod')
      ? `remove the manifest of the static pod on ${where} (staticPodPath of the kubelet, usually /etc/kubernetes/manifests)`
      : `stop the kubelet on ${where} first`;
  }
  const isMade = made.has('Pod') || made.has('ReplicaSet') || made.has('Job');
  const other = isMade || kind === 'services' ? alternatives[kind] : undefined;
  return `delete ${names} instead${other === undefined ? '' : `, or ${other.replace('IT', them)}`}`;
}

const scaleDown = 'scale down';

/** What else stops an owner of this kind from making objects. */
const alternatives: Readonly<Record<string, string>> = {
  'deployments.apps': scaleDown,
  'replicasets.apps': scaleDown,
  replicationcontrollers: scaleDown,
  'statefulsets.apps': scaleDown,
  'daemonsets.apps': 'keep IT off the node with a node selector or a taint',
  'jobs.batch': 'suspend the Job',
  'cronjobs.batch': 'suspend the CronJob',
  services: 'take the selector out of the Service',
};

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

function kindAndName({ type, name }: ObjectRecord): string {
  return `${printedKindOf(type)}/${name}`;
}

/** What has had an owner and has no controller in the end: nothing adopts it, or one of several does. */
export function adopted({ played, fateOf, after }: RemarkInput): PlanRemark[] {
  const loose = played.touched.flatMap((object) => {
    const { ends, isTarget, record } = object;
    const end = ends.held;
    const fate = fateOf(object);
    if (!end || isTarget || record.ownerReferences.length === 0 || controllerOf(end)) return [];
    if (fate !== 'orphaned' && fate !== 'kept') return [];
    const kind = groupResourceOf(end.type);
    const kinds = adopterKinds.filter(({ takes }) => takes.includes(kind));
    if (kinds.length === 0) return [];
    const adopters = kinds
      .filter(({ controller }) => played.scope.isEnabled(controller))
      .flatMap(({ resource }) => after.in(resource, end.namespace))
      .filter((adopter) => adopts(adopter, end));
    return [{ end, adopters }];
  });
  const groups = Map.groupBy(loose, ({ adopters }) =>
    adopters.some(({ facts }) => !facts) ? unreadNames : namesOf(identitiesOf(adopters)),
  );
  return [...groups].map(([names, group]) => {
    const objects = identitiesOf(group.map(({ end }) => end));
    const them = objects.length === 1 ? 'it' : 'them';
    const message =
      names === ''
        ? `Nothing that was seen adopts ${namesOf(objects)}; a new controller with the same selector would adopt ${them}.`
        : names === unreadNames
          ? `Whether another controller adopts ${namesOf(objects)} is not known: selectors were not read.`
          : `${names} have matching selectors: one of them adopts ${namesOf(objects)}.`;
    return { code: 'adopted', severity: 'note', message, objects };
  });
}

/** In place of names. */
const unreadNames = 'unread';

/** Dependents that do not hold up an owner which is deleted in the foreground (GC-7, GC-23). */
export function notWaitedFor({ going, played }: RemarkInput): PlanRemark[] {
  const foreground = deletedWith(played, 'Foreground');
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
  const message = `Foreground does not wait for ${counted(objects.length, 'dependent')} without blockOwnerDeletion: ${namesOf(objects)}. ${namesOf(identitiesOf(left))} may be deleted before ${they}.`;
  return [{ code: 'not-waited-for', severity: 'note', message, objects }];
}
