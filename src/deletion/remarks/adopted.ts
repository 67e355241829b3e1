import { counted } from '../../kube/counts-by-kind.ts';
import { workloadSelects } from '../../kube/label-selector.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { compareObjects, type ObjectReference } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** Which kinds adopt which, by label (controller_ref_manager.go). */
const adopters: Readonly<Record<string, readonly string[]>> = {
  pods: ['replicasets.apps', 'replicationcontrollers', 'statefulsets.apps', 'daemonsets.apps'],
  'replicasets.apps': ['deployments.apps'],
  'controllerrevisions.apps': ['statefulsets.apps', 'daemonsets.apps'],
};

/** Who adopts what is orphaned, and what becomes of it then. */
export function adopted(input: RemarkInput): PlanRemark[] {
  const { played, fateOf, after } = input;
  const loose = played.touched.flatMap((object) => {
    const { end, record } = object;
    const isFree = end && !end.ownerReferences.some(({ controller }) => controller === true);
    const fate = fateOf(object);
    const kinds = adopters[groupResourceOf(record.type)];
    if (!isFree || !kinds || (fate !== 'orphaned' && fate !== 'kept') || object.isTarget) return [];
    const candidates = kinds
      .flatMap((kind) => after.of(kind, end.namespace))
      .filter((candidate) => !isBeingDeleted(candidate));
    const adopting = candidates.filter((candidate) => adopts(candidate, end));
    const isUnread = candidates.some(({ facts }) => facts?.selector === undefined);
    return [{ end, adopting, isUnread }];
  });
  const taken = loose.flatMap(({ end, adopting }) => adopting.map((adopter) => ({ adopter, end })));
  const left = loose.filter(({ adopting }) => adopting.length === 0);
  const ends = (isUnread: boolean) =>
    identitiesOf(left.filter((one) => one.isUnread === isUnread).map(({ end }) => end));
  const [free, unread] = [ends(false), ends(true)];
  const them = free.length === 1 ? 'it' : 'them';
  return [
    ...[...Map.groupBy(taken, ({ adopter }) => adopter)].map(([adopter, group]) =>
      adoption(
        adopter,
        group.map(({ end }) => end),
        input,
      ),
    ),
    ...aboutOrphans(
      free,
      `Nothing that was seen adopts ${namesOf(free)}; a new controller with the same selector would adopt ${them}.`,
    ),
    ...aboutOrphans(
      unread,
      `Whether another controller adopts ${namesOf(unread)} is not known: selectors were not read.`,
    ),
  ];
}

function aboutOrphans(objects: readonly ObjectReference[], message: string): PlanRemark[] {
  return objects.length === 0 ? [] : [{ code: 'adopted', severity: 'note', message, objects }];
}

function adopts({ facts, type, name }: ObjectRecord, orphan: ObjectRecord): boolean {
  if (!workloadSelects(facts?.selector, orphan.labels)) return false;
  if (type.kind !== 'StatefulSet' || orphan.type.kind !== 'Pod') return true;
  // A StatefulSet takes only pods of its own name.
  return orphan.name.slice(0, orphan.name.lastIndexOf('-')) === name;
}

function adoption(
  adopter: ObjectRecord,
  orphans: readonly ObjectRecord[],
  { played }: RemarkInput,
): PlanRemark {
  const code = 'adopted';
  const { kind } = adopter.type;
  const objects = identitiesOf(orphans);
  const begin = `${kind} ${adopter.name} has a matching selector and adopts ${namesOf(objects)}`;
  const controlledBy = (owners: readonly ObjectRecord[]) =>
    played.with.objects.filter(({ ownerReferences }) =>
      ownerReferences.some(
        ({ uid, controller }) => controller === true && owners.some((owner) => owner.uid === uid),
      ),
    );
  const kindOfOrphans = orphans[0]?.type.kind;
  if (kindOfOrphans === 'ReplicaSet') {
    const pods = controlledBy(orphans);
    const lost = pods.length > 0 ? ` with ${counted(pods.length, 'pod')}` : '';
    const message = `${begin}${lost}, and scales what is not of its own pod template down to 0. Change its selector, or the labels, before.`;
    const all = [...objects, ...identitiesOf(pods)].sort(compareObjects);
    return { code, severity: 'warning', message, objects: all };
  }
  const isReplicated = kind === 'ReplicaSet' || kind === 'ReplicationController';
  if (!isReplicated || kindOfOrphans !== 'Pod') {
    return { code, severity: 'warning', message: `${begin}.`, objects };
  }
  const replicas = adopter.facts?.replicas ?? 1;
  const own = controlledBy([adopter]).length;
  const over = own + orphans.length - replicas;
  const message =
    over > 0
      ? `${begin}: it wants ${replicas} and has ${own}, so it deletes ${over} of them or of its own. Change its selector, or the labels, before.`
      : `${begin}: it wants ${replicas} and has ${own}, so all of them stay.`;
  return { code, severity: over > 0 ? 'warning' : 'note', message, objects };
}
