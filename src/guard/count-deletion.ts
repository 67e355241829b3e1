import { accounts } from '../controllers/bookkeeping.ts';
import { isForeign } from '../deletion/plan/play/blocking-finalizers.ts';
import { type Deliveries, deletedWith, deliveriesAmong } from '../delivery/deliveries.ts';
import { toolOf } from '../delivery/tools.ts';
import { counted, countsByKind } from '../kube/counts-by-kind.ts';
import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { inWords, referenceTo } from '../kube/object-reference.ts';
import { knownClaimsOf, nodeServedBy } from '../kube/pod-use.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { isPod } from '../kube/well-known-kinds.ts';
import { guardedIn } from '../perform/limits.ts';
import { isLabelledProtected } from '../programs/deletion-approval.ts';
import type { AnswerTime } from './answer-time.ts';
import { contentOf, endedPodsAfter } from './deletion-part.ts';
import type { KnownCluster } from './watched-cluster.ts';

/** What follows from a deletion, as far as rules and warnings consider it. */
export interface DeletionEffect {
  /** How many objects may be deleted, the one that is asked for included: an upper bound of what was read. */
  readonly objects: number;
  /** `3 Pods, 1 ReplicaSet` */
  readonly kinds: string;
  /** Was something not read that may hold more, or did it take too long to play the deletion? */
  readonly isExact: boolean;
  /** What to say, what weighs most first; empty: nothing but the object is deleted. */
  readonly lines: readonly string[];
  readonly losesVolumes: boolean;
  /** One of the objects that would be deleted and are protected, in words. */
  readonly protectedObject: string | undefined;
  /** Does it leave objects that wait for a program that would be deleted? */
  readonly leavesWithoutProgram: boolean;
}

/** Used where a play would take too long: counts what may be deleted, whatever blocks it, and lists the blockers. */
export function countDeletion(
  cluster: KnownCluster,
  target: ObjectRecord,
  time: Pick<AnswerTime, 'mayCount'>,
): DeletionEffect {
  const { going, isWhole } = deletedAtMost(cluster, target, time);
  const references = going.map((record) => ({
    ...referenceTo(record),
    servesNode: nodeServedBy(record),
  }));
  const { problems } = cluster.snapshotOf([]).coverage;
  const least = problems.length > 0 || !isWhole ? 'At least' : 'Up to';
  const held = going.flatMap((record) =>
    record.finalizers.filter(isForeign).map((finalizer) => ({ finalizer, record })),
  );
  const [first, ...more] = held;
  const lost = going.filter(
    ({ type, facts }) =>
      groupResourceOf(type) === 'persistentvolumes' &&
      facts?.persistentVolumeReclaimPolicy !== 'Retain',
  );
  const labelled = going.find(({ labels }) => isLabelledProtected(labels));
  const guarded = labelled ? referenceTo(labelled) : references.find(guardedIn(references));
  const kinds = countsByKind(references);
  const isQuiet = going.length === 1 && lost.length === 0 && !first && least === 'Up to';
  return {
    objects: going.length,
    kinds,
    isExact: false,
    lines: isQuiet
      ? []
      : [
          `${least} ${counted(going.length, 'object')} will be deleted: ${kinds}`,
          ...(lost.length > 0
            ? [`The data of ${counted(lost.length, 'PersistentVolume')} is lost.`]
            : []),
          ...(first
            ? [
                `Might be stuck: finalizer ${first.finalizer} of ${inWords(first.record)}${more.length > 0 ? ` and ${more.length} more` : ''}.`,
              ]
            : []),
        ],
    losesVolumes: lost.length > 0,
    protectedObject: guarded && inWords(guarded),
    // Whether another program of its kind remains is seen in a play alone.
    leavesWithoutProgram: false,
  };
}

/**
 * The objects that may be deleted with an object, those that are being deleted and wait for one of them included; one after
 * another. `isWhole`: there was time for all.
 */
function deletedAtMost(
  cluster: KnownCluster,
  target: ObjectRecord,
  time: Pick<AnswerTime, 'mayCount'>,
): { readonly going: readonly ObjectRecord[]; readonly isWhole: boolean } {
  const known = cluster.index.withUid(target.uid);
  const reached = new Set([target]);
  let deliveries: Deliveries | undefined;
  let count = 0;
  let isWhole = true;
  for (const record of reached) {
    if (count++ % askEvery === 0 && !time.mayCount) {
      isWhole = false;
      break;
    }
    for (const other of after(cluster, record)) reached.add(other);
    for (const other of releasedBy(cluster, record)) reached.add(other);
    if (!toolOf(record)) continue;
    deliveries ??= deliveriesAmong([...cluster.records()]);
    for (const other of deletedWith(deliveries, record)) reached.add(other);
  }
  for (const pod of endedPodsAfter(cluster, reached)) {
    reached.add(pod);
    for (const other of after(cluster, pod)) reached.add(other);
  }
  // The request has the object as it is now, which its watch may not have reported yet.
  if (known !== target && known) reached.delete(known);
  return { going: [...reached], isWhole };
}

const askEvery = 256;
const [addresses] = accounts;

/** What is deleted after an object: its dependents, its content, what follows it by its name. */
function after(cluster: KnownCluster, record: ObjectRecord): ObjectRecord[] {
  const { index, types } = cluster;
  const kept = groupResourceOf(record.type) === addresses.of;
  return [
    ...index.dependentsOf(record.uid),
    ...contentOf(cluster, record),
    ...[...index.trailing(record)].filter(
      ({ facts }) => facts?.persistentVolumeReclaimPolicy !== 'Retain',
    ),
    ...(kept ? addresses.namesFor(record, types) : []).flatMap(
      (name) => cluster.find(addresses.kept, '', name) ?? [],
    ),
  ];
}

/** What is being deleted and may wait for an object: its owners, and the claims of a Pod. */
function releasedBy(cluster: KnownCluster, record: ObjectRecord): ObjectRecord[] {
  const { index } = cluster;
  const owners = record.ownerReferences.flatMap(({ uid }) => index.withUid(uid) ?? []);
  const claims = isPod(record)
    ? knownClaimsOf(record).flatMap(
        (name) => cluster.find('persistentvolumeclaims', record.namespace, name) ?? [],
      )
    : [];
  return [...owners, ...claims].filter(isBeingDeleted);
}
