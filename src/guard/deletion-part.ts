import { accounts } from '../controllers/bookkeeping.ts';
import { deletedAsMoreEnd } from '../controllers/pod-gc/pass.ts';
import { waitsForProgram } from '../deletion/plan/finalizer-programs.ts';
import type { PlanContext } from '../deletion/plan/plan.ts';
import { endedPodsBeside, podsThatMayStay } from '../deletion/plan/play/pods-that-stay.ts';
import { type Deliveries, deletedWith, deliveriesAmong } from '../delivery/deliveries.ts';
import { toolOf } from '../delivery/tools.ts';
import { leaseType, workloadTypes } from '../kube/core-types.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { knownClaimsOf, knownNodeOf } from '../kube/pod-use.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import {
  isCustomResourceDefinition,
  isNamespace,
  isNode,
  isPod,
  volumeAttachments,
} from '../kube/well-known-kinds.ts';
import { isProgram, podsReady } from '../programs/program-life.ts';
import type { RecordIndex } from './record-index.ts';
import type { KnownCluster } from './watched-cluster.ts';

/** A namespace with so many objects is taken as a whole: who adopts whom in it, and what waits for what, is seen then. */
const wholeNamespace = 2_000;

/** To play more objects than this would take longer than a DELETE may wait. */
const mostPlayed = 6_000;

const [addresses] = accounts;

/**
 * The objects of a cluster that the deletion of one can touch, and by which that is judged: as few as possible, since what
 * is planned takes time for each. What is deleted along is always among them. Undefined where they are too many to play.
 */
export function deletionPart(
  cluster: KnownCluster,
  target: ObjectRecord,
  largest = wholeNamespace,
): Set<ObjectRecord> | undefined {
  const isAnywhere = isNode(target) || toolOf(target) !== undefined;
  if (isAnywhere && cluster.index.size > mostPlayed) return undefined;
  const part = isAnywhere ? cluster.records() : partOf(cluster, target, largest);
  if (!part) return undefined;
  // The request has the object as it is now, which its watch may not have reported yet.
  const known = cluster.index.withUid(target.uid);
  return new Set([...part, target].filter((record) => record !== known || known === target));
}

function partOf(
  cluster: KnownCluster,
  target: ObjectRecord,
  largest: number,
): Set<ObjectRecord> | undefined {
  const { index } = cluster;
  const family = familyOf(cluster, target);
  if (!family) return undefined;
  const part = new Set(family);
  const namespaces = new Set([...family].flatMap(({ namespace }) => namespace || []));
  for (const home of namespaces) {
    const contents = index.contentsOf(home);
    if (contents.size <= largest) for (const one of contents) part.add(one);
  }
  if (part.size > mostPlayed) return undefined;
  const attached = attachedIn(cluster);
  for (const record of [...part]) {
    for (const other of beside(cluster, record, attached)) add(part, other);
  }
  for (const pod of endedPodsAfter(cluster, part)) {
    for (const one of familyOf(cluster, pod) ?? []) part.add(one);
  }
  for (const home of namespaces) add(part, cluster.find('namespaces', '', home));
  for (const tool of index.tools) part.add(tool);
  return part;
}

/** The oldest ended Pods, which may be deleted because Pods among these end and stay. */
export function endedPodsAfter(
  cluster: KnownCluster,
  records: Iterable<ObjectRecord>,
): readonly ObjectRecord[] {
  const { settings } = cluster;
  const staying = podsThatMayStay([...records], settings);
  const ended = endedPodsBeside(cluster.ofKind('pods'), staying, settings);
  return deletedAsMoreEnd(ended, staying.length);
}

function add(part: Set<ObjectRecord>, record: ObjectRecord | undefined): void {
  if (record) part.add(record);
}

/** The object, all that may be deleted after it, and the owners of all of these; undefined where these are too many. */
function familyOf(cluster: KnownCluster, target: ObjectRecord): Set<ObjectRecord> | undefined {
  const { index } = cluster;
  const below = new Set([target]);
  let deliveries: Deliveries | undefined;
  for (const record of below) {
    for (const other of index.dependentsOf(record.uid)) below.add(other);
    for (const other of index.trailing(record)) below.add(other);
    for (const other of index.usersOf(record)) below.add(other);
    for (const other of contentOf(cluster, record)) below.add(other);
    if (below.size > mostPlayed) return undefined;
    if (!toolOf(record)) continue;
    // What a tool applied stands in any namespace.
    deliveries ??= deliveriesAmong([...cluster.records()]);
    for (const other of deletedWith(deliveries, record)) below.add(other);
  }
  const family = new Set(below);
  for (const record of family) {
    for (const { uid } of record.ownerReferences) add(family, index.withUid(uid));
  }
  return family;
}

export function contentOf(cluster: KnownCluster, record: ObjectRecord): Iterable<ObjectRecord> {
  if (isNamespace(record)) return cluster.index.contentsOf(record.name);
  return isCustomResourceDefinition(record) ? cluster.ofKind(record.name) : [];
}

/** What an object is judged with: its Node, its claims and their volumes, its addresses. */
function beside(
  cluster: KnownCluster,
  record: ObjectRecord,
  attached: Attached,
): (ObjectRecord | undefined)[] {
  if (isPod(record)) {
    const { namespace } = record;
    const node = knownNodeOf(record);
    return [
      ...(node === undefined ? [] : [cluster.find('nodes', '', node)]),
      ...knownClaimsOf(record).flatMap((name) => {
        const claim = cluster.find('persistentvolumeclaims', namespace, name);
        return claim ? [claim, ...volumesOf(cluster, claim, attached)] : [];
      }),
    ];
  }
  const kind = groupResourceOf(record.type);
  if (kind === 'persistentvolumeclaims') return volumesOf(cluster, record, attached);
  if (kind !== addresses.of) return [];
  return addresses
    .namesFor(record, cluster.types)
    .map((name) => cluster.find(addresses.kept, '', name));
}

/** The VolumeAttachments of a volume. */
type Attached = (volume: string) => readonly ObjectRecord[];

function attachedIn(cluster: KnownCluster): Attached {
  let byVolume: Map<string | undefined, ObjectRecord[]> | undefined;
  return (volume) => {
    byVolume ??= Map.groupBy(
      cluster.ofKind(volumeAttachments),
      ({ facts }) => facts?.attachment?.persistentVolumeName,
    );
    return byVolume.get(volume) ?? [];
  };
}

function volumesOf(
  cluster: KnownCluster,
  claim: ObjectRecord,
  attached: Attached,
): (ObjectRecord | undefined)[] {
  const name = claim.facts?.volumeName;
  return name ? [cluster.find('persistentvolumes', '', name), ...attached(name)] : [];
}

const programKinds = [...workloadTypes, leaseType].map(groupResourceOf);

/** What a plan asks beside the part: the programs that remove finalizers, and what waits for a program that is deleted. */
export function besideThePlan(
  cluster: KnownCluster,
  part: ReadonlySet<ObjectRecord>,
): Pick<PlanContext, 'finalizerPrograms' | 'customResourcesElsewhere'> {
  const records = [...part];
  const isHeld = records.some(waitsForProgram);
  const held = records.some(isProgram) ? outside(cluster.index.held, part) : [];
  return {
    customResourcesElsewhere: { records: held, unread: [] },
    ...((isHeld || held.length > 0) && { finalizerPrograms: programsBeside(cluster, part) }),
  };
}

function programsBeside(cluster: KnownCluster, part: ReadonlySet<ObjectRecord>) {
  const programs = programKinds.flatMap((kind) => outside(cluster.ofKind(kind), part));
  const down = programs.filter(
    (record) =>
      isProgram(record) && record.facts?.replicas !== 0 && podsReady(record, true).state === 'down',
  );
  const homes = new Set(down.map(({ namespace }) => namespace));
  const pods = [...homes].flatMap((home) => outside(podsIn(cluster.index, home), part));
  const { coverage } = cluster.snapshotOf([]);
  return { records: [...programs, ...pods], coverage };
}

function podsIn(index: RecordIndex, namespace: string): ObjectRecord[] {
  return [...index.contentsOf(namespace)].filter(isPod);
}

function outside(records: Iterable<ObjectRecord>, part: ReadonlySet<ObjectRecord>): ObjectRecord[] {
  return [...records].filter((record) => !part.has(record));
}
