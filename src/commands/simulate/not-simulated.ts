import { firstOf } from '../../kube/counts-by-kind.ts';
import { noTaints } from '../../kube/facts/node.ts';
import {
  controllerOf,
  isBeingDeleted,
  type ObjectRecord,
  PVC_PROTECTION,
} from '../../kube/object-record.ts';
import { nodeNameOf, notRead } from '../../kube/pod-use.ts';
import { isClaim, isNode, isPod, isPodTerminal } from '../../kube/well-known-kinds.ts';
import type { EnabledControllers } from '../../settings/enabled-controllers.ts';

/** What would go on in a cluster after a simulation, by controllers that run and could not, or cannot, be simulated. */
export function notSimulated(
  before: readonly ObjectRecord[],
  after: readonly ObjectRecord[],
  isEnabled: EnabledControllers,
): string[] {
  const nodes = before.filter(isNode);
  const left = new Map(after.filter(isNode).map((node) => [node.name, node]));
  const gone = new Set(nodes.map(({ name }) => name).filter((name) => !left.has(name)));
  const known = new Map(nodes.map((node) => [node.name, node]));
  const evicting = [...left.values()].filter((node) => evictsMore(known.get(node.name), node));
  const hasUnreadPods = after.some((record) => isPod(record) && nodeNameOf(record) === notRead);
  const remarks: string[] = [];
  if (isEnabled('pod-garbage-collector-controller') && gone.size > 0 && hasUnreadPods) {
    remarks.push(
      `It was not read which pods are bound to ${[...gone].join(', ')}: pod-garbage-collector deletes them, and no step shows it.`,
    );
  }
  if (isEnabled('taint-eviction-controller') && evicting.length > 0 && hasUnreadPods) {
    remarks.push(
      `It was not read which pods are bound to ${recordNames(evicting)} and do not tolerate NoExecute: taint-eviction deletes them, and no step shows it.`,
    );
  }
  if (isEnabled('persistentvolume-attach-detach-controller') && gone.size > 0) {
    const attached = after.filter(
      ({ facts }) => facts?.attachment && gone.has(facts.attachment.nodeName ?? ''),
    );
    if (attached.length > 0) {
      remarks.push(
        `Volumes are attached to ${[...gone].join(', ')}: persistentvolume-attach-detach-controller detaches ${recordNames(attached)}, which is not simulated.`,
      );
    }
  }
  return [
    ...remarks,
    ...unreadVolumes(before, after, isEnabled),
    ...changedWork(before, after),
    ...replacements(before, after),
  ];
}

/** Claims and volumes about which nothing but their names is known. */
function unreadVolumes(
  before: readonly ObjectRecord[],
  after: readonly ObjectRecord[],
  isEnabled: EnabledControllers,
): string[] {
  const remarks: string[] = [];
  const claims = after.filter((record) => isBeingDeleted(record) && isClaim(record));
  const unread = new Set(
    after.filter((record) => isPod(record) && !record.facts).map(({ namespace }) => namespace),
  );
  const used = claims.filter(
    ({ facts, finalizers, namespace }) =>
      finalizers.includes(PVC_PROTECTION) && (!facts || unread.has(namespace)),
  );
  if (isEnabled('persistentvolumeclaim-protection-controller') && used.length > 0) {
    remarks.push(
      `Pods were not read, so it is unknown whether they use the claims ${recordNames(used)}: unused claims are deleted without a step.`,
    );
  }
  if (!isEnabled('persistentvolume-binder-controller')) return remarks;
  const uids = new Set(after.filter(isClaim).map(({ uid }) => uid));
  const gone = before.filter((record) => isClaim(record) && !uids.has(record.uid));
  const isUnread = after.some(({ type, facts }) => type.kind === 'PersistentVolume' && !facts);
  if (gone.length > 0 && isUnread) {
    remarks.push(
      `It was not read which volumes are bound to the claims ${recordNames(gone)}: no step shows what becomes of those volumes.`,
    );
  }
  return remarks;
}

const workers = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'];

/** Controllers that make things are not simulated. */
function changedWork(before: readonly ObjectRecord[], after: readonly ObjectRecord[]): string[] {
  const known = new Map(
    before.filter(({ type }) => workers.includes(type.kind)).map((record) => [record.uid, record]),
  );
  const changed = after.filter(({ uid, type, facts }) => {
    const had = known.get(uid)?.facts;
    if (!had || had.generation === facts?.generation) return false;
    // The pods that a StatefulSet gives up are shown.
    return type.kind !== 'StatefulSet' || (facts?.replicas ?? 1) >= (had.replicas ?? 1);
  });
  if (changed.length === 0) return [];
  const names = changed.map(({ type, name }) => `${type.kind} ${name}`).join(', ');
  return [`What the controllers make or take away for the changed ${names} is not simulated.`];
}

/**
 * A ReplicaSet, a Job and a ReplicationController count the Pods that are not being deleted (FilterActivePods,
 * pkg/controller/controller_utils.go); a StatefulSet reuses the name, so the Pod has to be gone first.
 */
function replacements(before: readonly ObjectRecord[], after: readonly ObjectRecord[]): string[] {
  const left = new Map(after.map((record) => [record.uid, record]));
  const lost = before.filter((pod) => {
    const now = left.get(pod.uid);
    return (
      isPod(pod) && !isBeingDeleted(pod) && !isPodTerminal(pod) && (!now || isBeingDeleted(now))
    );
  });
  const active = after.filter((pod) => isPod(pod) && !isBeingDeleted(pod) && !isPodTerminal(pod));
  const activeOf = Map.groupBy(active, (pod) => controllerOf(pod)?.uid ?? '');
  // One that was scaled down keeps as many as it wants.
  const wantsMore = ({ uid, type, facts }: ObjectRecord) =>
    type.kind === 'Job' || (activeOf.get(uid)?.length ?? 0) < (facts?.replicas ?? 1);
  const ownedBy = (...kinds: readonly string[]) =>
    lost.filter((pod) => {
      const owner = left.get(controllerOf(pod)?.uid ?? '');
      if (!owner || isBeingDeleted(owner) || !kinds.includes(owner.type.kind)) return false;
      return wantsMore(owner);
    });
  const replaced = ownedBy('ReplicaSet', 'ReplicationController', 'Job');
  const named = ownedBy('StatefulSet');
  const waiting = named.filter(({ uid }) => left.has(uid));
  const renewed = named.filter(({ uid }) => !left.has(uid));
  const line = (what: string, pods: readonly ObjectRecord[], when = '') =>
    pods.length === 0
      ? []
      : [
          `Controllers create ${what} ${firstOf(
            pods.map(({ name }) => name),
            5,
          )}${when}, which is not simulated.`,
        ];
  return [
    ...line('other Pods in place of', replaced),
    ...line('again', renewed),
    ...line('again', waiting, ' once the old Pods are deleted'),
  ];
}

function recordNames(records: readonly ObjectRecord[]): string {
  return records.map(({ name }) => name).join(', ');
}

function evictsMore(before: ObjectRecord | undefined, after: ObjectRecord): boolean {
  if (before === after) return false;
  const had = before?.facts?.taints ?? noTaints;
  return (after.facts?.taints ?? noTaints).some(
    ({ key, value, effect }) =>
      effect === 'NoExecute' &&
      !had.some((taint) => taint.key === key && taint.value === value && taint.effect === effect),
  );
}
