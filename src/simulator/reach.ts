import { linkedNames } from '../controllers/controller.ts';
import { podsByNode } from '../controllers/nodes/node-lifecycle.ts';
import { isTerminated } from '../controllers/pod-gc/pass.ts';
import { adoptersOf } from '../controllers/workloads/adopters.ts';
import { type Deliveries, deletedWith, deliveriesAmong } from '../delivery/deliveries.ts';
import { toolOf } from '../delivery/tools.ts';
import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { knownNodeOf } from '../kube/pod-use.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { isBuiltInGroup } from '../kube/resource-types.ts';
import {
  customResourceDefinitions,
  isNamespace,
  isNode,
  isPod,
  volumeAttachments,
} from '../kube/well-known-kinds.ts';
import type { ControllerSettings } from '../settings/controller-settings.ts';
import { ownerPlaceOf } from '../snapshot/graph/owner-place.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { linksOfBookkeeping } from './api-server/server-clean-up.ts';
import { liveObjects } from './controllers/indexes.ts';
import { groupsOfControllers, linksOfControllers } from './controllers/start-controllers.ts';
import {
  type ActingRecords,
  actingAmong,
  backdropOf,
  isWell,
  type LinksOf,
} from './engine/acting-records.ts';
import { ClusterState } from './engine/cluster-state.ts';

type Settings = Pick<ControllerSettings, 'kubelets' | 'terminatedPodGCThreshold'>;

/** Some of a snapshot's records, in their order. */
export interface Reach {
  /** What may act on each other. */
  readonly members: readonly ObjectRecord[];
  /** By what the members are judged, while nothing happens to it. */
  readonly backdrop: readonly ObjectRecord[];
  /** The namespaces of all of them, but for Leases of Nodes; undefined where something may lead out of these. */
  readonly within: ReadonlySet<string> | undefined;
}

/**
 * All that requests for these objects can touch, and whatever else acts on that: the rest ends as it does without
 * them. Undefined where that is not known to be less than everything: objects contradict each other or have no uid, or
 * so many pods have ended that each counts for all others (PG-3).
 */
export function reachOf(
  { records, types }: Pick<Snapshot, 'records' | 'types'>,
  targets: readonly ObjectRecord[],
  settings: Settings,
): Reach | undefined {
  // What acts on each other is mostly in one namespace, or in none.
  const namespaces = new Set(
    targets.map((target) => (isNamespace(target) ? target.name : target.namespace)),
  );
  if (shareUid(records)) return undefined;
  const among = (some: readonly ObjectRecord[]) =>
    reachedAmong(some, new ClusterState(types, some), targets, settings);
  const near = records.filter(({ namespace }) => namespace === '' || namespaces.has(namespace));
  let reached = among(near);
  const isWithin = reached !== undefined && !leadsOut(reached, namespaces, records);
  if (reached && !isWithin) reached = among(records);
  if (!reached || countsPods(records, settings)) return undefined;

  const isBackdrop = backdropOf(reached, near.filter(isNode), settings.kubelets);
  const members: ObjectRecord[] = [];
  const backdrop: ObjectRecord[] = [];
  for (const record of records) {
    if (reached.has(record)) members.push(record);
    else if (isBackdrop(record)) backdrop.push(record);
  }
  return { members, backdrop, within: isWithin ? namespaces : undefined };
}

/** Do two of these have one uid? */
function shareUid(records: readonly ObjectRecord[]): boolean {
  const uids = new Set<string>();
  let count = 0;
  for (const { uid } of records) {
    if (uid === '') continue;
    uids.add(uid);
    count++;
  }
  return uids.size < count;
}

/** Undefined where objects contradict each other, or something that has no uid is reached. */
function reachedAmong(
  records: readonly ObjectRecord[],
  state: ClusterState,
  targets: readonly ObjectRecord[],
  settings: Settings,
): ReadonlySet<ObjectRecord> | undefined {
  if (state.contradicting.length > 0) return undefined;
  const wanted = new Set<ObjectRecord>();
  for (const target of targets) {
    const found = state.current(target);
    if (!found) return undefined;
    wanted.add(found);
  }
  const deliveries = deliveriesAmong(records);
  const goingHomes = new Set([...wanted].flatMap((one) => (isNamespace(one) ? one.name : [])));
  const isLosingNodes = [...wanted].some(isNode);
  const beside = besideIn(records, state, { ...settings, isLosingNodes }, goingHomes, deliveries);
  const acting = actingIn(records, state, wanted, goingHomes, deliveries);
  const reached = acting.actingWith(wanted, beside);
  return [...reached].some(({ uid }) => uid === '') ? undefined : reached;
}

/** Does what is reached act on something outside these namespaces, or that on it? */
function leadsOut(
  reached: ReadonlySet<ObjectRecord>,
  namespaces: ReadonlySet<string>,
  records: readonly ObjectRecord[],
): boolean {
  const isOutside = (namespace: string) => namespace !== '' && !namespaces.has(namespace);
  const uids = new Set<string>();
  for (const record of reached) {
    if (isWide(record) || toolOf(record) || isOutside(record.facts?.claimRef?.namespace ?? ''))
      return true;
    if (isNamespace(record) && !namespaces.has(record.name)) return true;
    uids.add(record.uid);
    for (const { uid } of record.ownerReferences) uids.add(uid);
  }
  return records.some(
    ({ namespace, uid, ownerReferences }) =>
      isOutside(namespace) && (uids.has(uid) || ownerReferences.some((one) => uids.has(one.uid))),
  );
}

/** Some cluster-scoped objects belong to a namespace. The Leases of all API servers together show which servers run. */
function isWide({ type, namespace }: ObjectRecord): boolean {
  if (namespace !== '') return type.kind === 'Lease' || type.kind === 'LeaseCandidate';
  return !ofOneNamespace.has(type.kind);
}

const ofOneNamespace: ReadonlySet<string> = new Set([
  'Namespace',
  'PersistentVolume',
  'VolumeAttachment',
  'IPAddress',
]);

/** What acts on each other by references, and by what controllers join. */
function actingIn(
  records: readonly ObjectRecord[],
  state: ClusterState,
  wanted: ReadonlySet<ObjectRecord>,
  goingHomes: ReadonlySet<string>,
  { above }: Deliveries,
): ActingRecords {
  const isAsked = (record: ObjectRecord) =>
    wanted.has(record) || isBeingDeleted(record) || above(record).length > 0;
  // Another namespace, Node or definition stays, unless its owners may be deleted: its content does not change.
  const canDisappear = (record: ObjectRecord) =>
    isAsked(record) || (record.ownerReferences.length > 0 && !isKept(record, state, isAsked));
  // All that is in a namespace that goes acts on each other by that: links count where they lead to something else.
  const elsewhere = records.filter(({ namespace }) => !goingHomes.has(namespace));
  const links = linksAmong(state).filter((linksOf) =>
    elsewhere.some((record) => linksOf(record).length > 0),
  );
  return actingAmong(records, { owners: state.first, canDisappear, links });
}

/** By what controllers join the objects that are there. */
export function linksAmong(state: ClusterState): LinksOf[] {
  const by = { view: liveObjects(state) };
  // A controller without a named object of its kinds links no objects.
  const all = [...linksOfControllers, ...linksOfBookkeeping(state.types)];
  const joining = all.filter(({ kinds, links }) => {
    const isJoined = (one: ObjectRecord) => linkedNames(links, one, by).length > 0;
    return kinds.some((kind) => state.ofResource(kind).some(isJoined));
  });
  const tables = new Set(joining.map(({ links }) => links));
  return [
    ...[...tables].map((table) => (one: ObjectRecord) => linkedNames(table, one, by)),
    ...groupsOfControllers.map((groupOf) => (one: ObjectRecord) => [groupOf(one) ?? []].flat()),
  ];
}

/**
 * Is its owner a custom resource that nothing here deletes, because it has no owner itself? Objects of that kind are deleted
 * only on request, with an owner, or with their definition.
 */
function isKept(
  record: ObjectRecord,
  state: ClusterState,
  isAsked: (record: ObjectRecord) => boolean,
): boolean {
  const isAlone = (one: ObjectRecord) => one.ownerReferences.length === 0 && !isAsked(one);
  return record.ownerReferences.some((reference) => {
    const place = ownerPlaceOf(state.types, record, reference);
    if (place.end !== 'at' || isBuiltInGroup(place.type.group)) return false;
    const owner = state.get(place.type, place.namespace, reference.name);
    if (!owner || owner.uid === '' || owner.uid !== reference.uid) return false;
    const definition = state.at(customResourceDefinitions, '', groupResourceOf(owner.type));
    return isAlone(owner) && (!definition || isAlone(definition));
  });
}

/**
 * What else an object is judged with: what stands where an owner of it should be, what has the same owner that
 * does not exist (GC-26), who may adopt it (ADOPT-1), what is attached to a Node (ATT-2), all Nodes where they are
 * judged together (NODE-5), and what a delivery tool deletes with it. `isLosingNodes`: fewer Nodes may let others get
 * their taints, which evict the pods there.
 */
function besideIn(
  records: readonly ObjectRecord[],
  state: ClusterState,
  { kubelets, isLosingNodes }: Settings & { readonly isLosingNodes: boolean },
  goingHomes: ReadonlySet<string>,
  deliveries: Deliveries,
): (record: ObjectRecord) => readonly ObjectRecord[] {
  const view = liveObjects(state);
  const nodes = state.ofResource('nodes');
  const attached = state.ofResource(volumeAttachments);
  const areWell = nodes.every((node) => isWell(node, kubelets));
  const uids = new Set(records.map(({ uid }) => uid));
  const ofGone = Map.groupBy(
    records.flatMap((record) =>
      record.ownerReferences.flatMap(({ uid }) => (uids.has(uid) ? [] : [{ uid, record }])),
    ),
    ({ uid }) => uid,
  );
  return (record) => {
    const owners = record.ownerReferences.flatMap((reference) => {
      const place = ownerPlaceOf(state.types, record, reference);
      const there = place.end === 'at' && state.get(place.type, place.namespace, reference.name);
      const alike = ofGone.get(reference.uid)?.map((one) => one.record) ?? [];
      return there ? [there, ...alike] : alike;
    });
    const node = isNode(record) ? record : state.at('nodes', '', knownNodeOf(record) ?? '');
    const areJudged = !areWell && node && (node === record || !isWell(node, kubelets));
    const isOn = ({ facts }: ObjectRecord) => facts?.attachment?.nodeName === record.name;
    const onNode = isNode(record) ? attached.filter(isOn) : [];
    const mayLosePods = isLosingNodes && isNode(record) && !isWell(record, kubelets);
    return [
      ...owners,
      ...onNode,
      // In a namespace that goes, who may adopt it is reached as well.
      ...(goingHomes.has(record.namespace) ? [] : adoptersOf(record, view)),
      ...(areJudged ? nodes : []),
      ...(mayLosePods ? view.index(podsByNode).get(record.name) : []),
      ...deletedWith(deliveries, record),
    ];
  };
}

/** Have so many pods ended that the oldest are deleted? */
function countsPods(
  records: readonly ObjectRecord[],
  { terminatedPodGCThreshold: threshold }: Settings,
): boolean {
  const ended = records.filter(
    (record) => isPod(record) && record.facts !== undefined && isTerminated(record),
  );
  return threshold > 0 && ended.length > threshold;
}
