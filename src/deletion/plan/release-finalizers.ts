import { knownFinalizer } from '../../controllers/finalizers/known-finalizers.ts';
import type { EnabledControllers } from '../../controllers/settings/enabled-controllers.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { objectKey } from '../../kube/object-reference.ts';
import { nodeNameOf, notRead, volumesOf } from '../../kube/pod-use.ts';
import { withChanges } from '../../kube/records/stored-record.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { readCoverageOf } from '../../simulator/simulation-input.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type ClusterAfter, clusterAfter } from './recreation.ts';

/** Finalizers that controllers of Kubernetes remove in the course of a deletion, by the object's key. */
export type Released = ReadonlyMap<string, readonly string[]>;

/**
 * What is left terminating only until kube-controller-manager sees that nothing uses it any more.
 * `left` is what a simulation leaves, in which such finalizers stay.
 */
export function releasedFinalizers(
  left: readonly ObjectRecord[],
  snapshot: Snapshot,
  isEnabled: EnabledControllers,
): Map<string, readonly string[]> {
  const released = new Map<string, readonly string[]>();
  let seen: Seen | undefined;
  for (const record of left) {
    if (record.deletionTimestamp === undefined || record.finalizers.length === 0) continue;
    const free = record.finalizers.filter((finalizer) => {
      const isUnused = conditions[finalizer];
      const controller = knownFinalizer(finalizer)?.setBy.controllerName;
      if (!isUnused || controller === undefined || !isEnabled(controller)) return false;
      seen ??= { after: clusterAfter(left), isRead: readIn(snapshot) };
      return isUnused(record, seen);
    });
    if (free.length > 0) released.set(objectKey(record), free);
  }
  return released;
}

interface Seen {
  readonly after: ClusterAfter;
  /** Is the absence of such an object in this namespace a fact? */
  readonly isRead: (resource: string, namespace: string) => boolean;
}

function readIn(snapshot: Snapshot): Seen['isRead'] {
  const known = readCoverageOf(snapshot);
  return (resource, namespace) => {
    const type = snapshot.types.versions(resource)[0];
    return type !== undefined && known.sawKind(type, namespace);
  };
}

/** The snapshot in which these finalizers are not there. */
export function withoutFinalizers(snapshot: Snapshot, released: Released): Snapshot {
  if (released.size === 0) return snapshot;
  const records = snapshot.records.map((record) => {
    const free = released.get(objectKey(record));
    if (!free) return record;
    const finalizers = record.finalizers.filter((name) => !free.includes(name));
    return withChanges(record, { finalizers });
  });
  return { ...snapshot, records };
}

/** Would the controller remove the finalizer? Where what decides was not read, it would not. */
const conditions: Readonly<Record<string, (record: ObjectRecord, seen: Seen) => boolean>> = {
  'kubernetes.io/pvc-protection': ({ namespace, name }, { after, isRead }) =>
    isRead('pods', namespace) && after.of('pods', namespace).every((pod) => usesOther(pod, name)),
  'kubernetes.io/pv-protection': ({ facts }, { after, isRead }) => {
    if (!facts) return false;
    const { claimRef, phase } = facts;
    // Every volume has a phase: where there is none, it was not read.
    if (!claimRef) return phase !== undefined && phase !== 'Bound';
    const { namespace = '', name, uid } = claimRef;
    const claim = after.at('persistentvolumeclaims', namespace, name);
    if (claim) return uid !== undefined && claim.uid !== uid;
    return isRead('persistentvolumeclaims', namespace);
  },
  'batch.kubernetes.io/job-tracking': (record) => isPod(record),
};

/** Is it known when kube-controller-manager removes the finalizer? */
export function hasCondition(finalizer: string): boolean {
  return Object.hasOwn(conditions, finalizer);
}

/** Mirrors podUsesPVCForDeletion, pkg/controller/volume/pvcprotection: pods without a node use nothing. */
function usesOther(pod: ObjectRecord, claim: string): boolean {
  const { name, deletionTimestamp, deletionGracePeriodSeconds } = pod;
  const nodeName = nodeNameOf(pod);
  const mounted = volumesOf(pod);
  if (nodeName === notRead || mounted === notRead) return false;
  if (nodeName === '') return true;
  const isShutDown = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
  return mounted.every(
    ({ claimName, ephemeral, name: volume }) =>
      claimName !== claim && !(ephemeral && !isShutDown && `${name}-${volume}` === claim),
  );
}
