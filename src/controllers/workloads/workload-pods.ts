import { counted } from '../../kube/counts-by-kind.ts';
import { workloadSelects } from '../../kube/label-selector.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { targetNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isPodTerminal } from '../../kube/well-known-kinds.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { ControllerId, Decision, SyncedController } from '../controller.ts';
import { deletion, nextSync } from '../decision.ts';
import { isActive } from '../jobs/job.ts';
import { revisionLabel } from './controllerrevision-history.ts';
import { isAvailable, ordinalOf } from './statefulset-ordinals.ts';

const id: ControllerId = 'workload-pods';

/** By the kind of a workload: the controller of kube-controller-manager that deletes its Pods. */
const workloadControllerOf = {
  'statefulsets.apps': 'statefulset-controller',
  'daemonsets.apps': 'daemonset-controller',
  'replicasets.apps': 'replicaset-controller',
  replicationcontrollers: 'replicationcontroller-controller',
} as const;

const resources = Object.keys(workloadControllerOf);

/** Pods that a workload deletes: those that have ended, and those that it has too many of. */
export const workloadPods: SyncedController = {
  id,
  controllers: Object.values(workloadControllerOf),
  reads: [...resources, 'pods', 'nodes'],
  syncers: Object.entries(workloadControllerOf).map(([syncs, runsAs]) => ({
    runsAs,
    syncs,
    sync: (workload, { view, now }) =>
      unneededPods(workload, view.controlledBy('pods', workload), view, now),
  })),
};

/** What a workload deletes of the Pods that it controls. */
function unneededPods(
  workload: ObjectRecord,
  pods: readonly ObjectRecord[],
  view: ClusterView,
  now: number,
): readonly Decision[] {
  if (pods.length === 0 || isBeingDeleted(workload) || !workload.facts) return [];
  // It releases Pods that its selector does not match.
  const { selector } = workload.facts;
  const claimed = pods.filter(
    (pod) => selector === undefined || workloadSelects(selector, pod.labels),
  );
  switch (groupResourceOf(workload.type)) {
    case 'statefulsets.apps':
      return endedInSet(workload, claimed, now);
    case 'daemonsets.apps':
      return unneededOnNodes(workload, claimed, view, now);
    default:
      return beyondReplicas(workload, claimed, now);
  }
}

/**
 * A StatefulSet deletes Pods that have ended, to recreate them. In order, it comes to one once all before it are available; in
 * parallel it may fail to create one before it. Mirrors processReplica and runForAll,
 * pkg/controller/statefulset/stateful_set_control.go (WPOD-1).
 */
function endedInSet(set: ObjectRecord, pods: readonly ObjectRecord[], now: number): Decision[] {
  const { firstOrdinal = 0, replicas = 1, podManagementPolicy, minReadySeconds } = set.facts ?? {};
  const positionOf = (pod: ObjectRecord) => {
    const ordinal = ordinalOf(set, pod.name);
    return ordinal >= firstOrdinal && ordinal < firstOrdinal + replicas
      ? ordinal - firstOrdinal
      : -1;
  };
  const isParallel = podManagementPolicy === 'Parallel';
  const passed = pods.filter((pod) => isParallel || isAvailable(pod, minReadySeconds, now));
  const before = [...new Set(passed.map(positionOf))]
    .filter((position) => position >= 0)
    .sort((a, b) => a - b);
  const firstBlocked = before.findIndex((position, at) => position !== at);
  const reached = firstBlocked < 0 ? before.length : firstBlocked;
  return pods
    .filter((pod) => positionOf(pod) >= 0 && isPodTerminal(pod) && !isBeingDeleted(pod))
    .map((pod) => {
      const isReached = positionOf(pod) <= reached;
      const ended = `it has ended (${pod.facts?.phase}), and StatefulSet ${set.name} recreates it`;
      return deletion(id, pod, {
        ...nextSync(now),
        because: isReached ? ended : `${ended} once the Pods before it are available`,
        rule: 'WPOD-1',
        confidence: isReached ? 'certain' : 'unknown',
      });
    });
}

/**
 * A DaemonSet deletes Pods that have ended, on Nodes that exist; of failed ones on a Node the first immediately, and then with
 * pauses of up to 15 minutes. Of several that run on a Node it keeps the oldest, or for a time two with maxSurge. Mirrors
 * podsShouldBeOnNode, pkg/controller/daemon/daemon_controller.go (WPOD-2, WPOD-3).
 */
function unneededOnNodes(
  { name }: ObjectRecord,
  pods: readonly ObjectRecord[],
  view: ClusterView,
  now: number,
): Decision[] {
  const byNode = Map.groupBy(
    pods.filter((pod) => !isBeingDeleted(pod)),
    targetNodeOf,
  );
  return [...byNode].flatMap(([node, onNode]) => {
    if (node === undefined) return [];
    const isThere = view.at('nodes', '', node) !== undefined;
    if (!isThere && view.covers('nodes', '', node)) return [];
    const ended = onNode
      .filter(isPodTerminal)
      .map((pod) =>
        decided(pod, `it has ended (${pod.facts?.phase}) on ${node}`, 'WPOD-2', isThere),
      );
    const running = onNode.filter((pod) => !isPodTerminal(pod));
    // With maxSurge it runs a Pod of each of two revisions, until its rollout continues (ADOPT-5).
    const revisions = new Set(running.map(({ labels }) => labels?.[revisionLabel]));
    if (running.length <= revisions.size) return ended;
    const several = `${running.length} of its Pods run on ${node}, of which it keeps one`;
    return [...ended, ...running.map((pod) => decided(pod, several, 'WPOD-3', false))];
  });

  function decided(pod: ObjectRecord, why: string, rule: string, isSure: boolean): Decision {
    const because = `DaemonSet ${name} deletes it: ${why}`;
    const confidence = isSure ? 'certain' : 'unknown';
    return deletion(id, pod, { ...nextSync(now), because, rule, confidence });
  }
}

/**
 * Each Pod of too many may be deleted: which is first depends on their Nodes, on when they became ready and on annotations
 * (getPodsToDelete, pkg/controller/replicaset/replica_set.go; WPOD-4).
 */
function beyondReplicas(
  { type, name, facts = {} }: ObjectRecord,
  pods: readonly ObjectRecord[],
  now: number,
): Decision[] {
  const { replicas = 1 } = facts;
  const active = pods.filter(isActive);
  if (active.length <= replicas) return [];
  const because = `${type.kind} ${name} has ${counted(active.length, 'Pod')} and keeps ${replicas}`;
  const confidence = replicas === 0 ? 'certain' : 'unknown';
  return active.map((pod) =>
    deletion(id, pod, { ...nextSync(now), because, rule: 'WPOD-4', confidence }),
  );
}
