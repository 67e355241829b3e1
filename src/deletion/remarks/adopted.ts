import { counted } from '../../kube/counts-by-kind.ts';
import { workloadSelects } from '../../kube/label-selector.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { compareObjects } from '../../kube/object-reference.ts';
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
  const { played, fateOf } = input;
  const loose = played.touched.flatMap((object) => {
    const { end, record } = object;
    const isFree = end && !end.ownerReferences.some(({ controller }) => controller === true);
    const fate = fateOf(object);
    const kinds = adopters[groupResourceOf(record.type)];
    return isFree && kinds && (fate === 'orphaned' || fate === 'kept') && !object.isTarget
      ? [{ end, kinds }]
      : [];
  });
  if (loose.length === 0) return [];
  const remarks: PlanRemark[] = [];
  const homeless: ObjectRecord[] = [];
  const unread: ObjectRecord[] = [];
  const taken: { adopter: ObjectRecord; orphan: ObjectRecord }[] = [];
  for (const { end, kinds } of loose) {
    const candidates = kinds
      .flatMap((kind) => input.after.of(kind, end.namespace))
      .filter((candidate) => !isBeingDeleted(candidate));
    const adopting = candidates.filter((candidate) => adopts(candidate, end));
    for (const adopter of adopting) taken.push({ adopter, orphan: end });
    if (adopting.length > 0) continue;
    if (candidates.some(({ facts }) => facts?.selector === undefined)) unread.push(end);
    else homeless.push(end);
  }
  for (const [adopter, group] of Map.groupBy(taken, (entry) => entry.adopter)) {
    const orphans = group.map(({ orphan }) => orphan);
    remarks.push(adoption(adopter, orphans, input));
  }
  if (homeless.length > 0) remarks.push(freeRemark(homeless));
  if (unread.length > 0) {
    const objects = identitiesOf(unread);
    remarks.push({
      code: 'adopted',
      severity: 'note',
      message: `Whether another controller adopts ${namesOf(objects)} is not known: selectors were not read.`,
      objects,
    });
  }
  return remarks;
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
  const { kind } = adopter.type;
  const objects = identitiesOf(orphans);
  const begin = `${kind} ${adopter.name} has a matching selector and adopts ${namesOf(objects)}`;
  const [first] = orphans;
  if (first?.type.kind === 'ReplicaSet') {
    const pods = played.with.objects.filter(({ ownerReferences }) =>
      ownerReferences.some(
        ({ uid, controller }) => controller === true && orphans.some((set) => set.uid === uid),
      ),
    );
    const lost = pods.length > 0 ? ` with ${counted(pods.length, 'pod')}` : '';
    return {
      code: 'adopted',
      severity: 'warning',
      message: `${begin}${lost}, and scales what is not of its own pod template down to 0. Change its selector, or the labels, before.`,
      objects: [...objects, ...identitiesOf(pods)].sort(compareObjects),
    };
  }
  const replicas =
    kind === 'ReplicaSet' || kind === 'ReplicationController'
      ? (adopter.facts?.replicas ?? 1)
      : undefined;
  if (replicas === undefined || first?.type.kind !== 'Pod') {
    return { code: 'adopted', severity: 'warning', message: `${begin}.`, objects };
  }
  const own = played.with.objects.filter(({ ownerReferences }) =>
    ownerReferences.some(({ uid, controller }) => controller === true && uid === adopter.uid),
  ).length;
  const over = own + orphans.length - replicas;
  const message =
    over > 0
      ? `${begin}: it wants ${replicas} and has ${own}, so it deletes ${over} of them or of its own. Change its selector, or the labels, before.`
      : `${begin}: it wants ${replicas} and has ${own}, so all of them stay.`;
  return { code: 'adopted', severity: over > 0 ? 'warning' : 'note', message, objects };
}

function freeRemark(orphans: readonly ObjectRecord[]): PlanRemark {
  const objects = identitiesOf(orphans);
  const what = objects.length === 1 ? 'it' : 'them';
  return {
    code: 'adopted',
    severity: 'note',
    message: `Nothing that was seen adopts ${namesOf(objects)}; a new controller with the same selector would adopt ${what}.`,
    objects,
  };
}
