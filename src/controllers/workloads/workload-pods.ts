import { counted } from '../../kube/counts-by-kind.ts';
import { workloadSelects } from '../../kube/label-selector.ts';
import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { targetNodeOf } from '../../kube/pod-use.ts';
import { isPodTerminal, replicasOf } from '../../kube/well-known-kinds.ts';
import {
  type ByKind,
  byController,
  type ClusterView,
  controllerUid,
  controlling,
  type IndexKind,
} from '../cluster-view.ts';
import type {
  Decision,
  SyncController,
  SyncedController,
  SyncFacts,
  SyncInput,
} from '../controller.ts';
import { deletion, nextSync } from '../decision.ts';
import { isActive } from '../jobs/job.ts';
import { revisionLabel } from './controllerrevision-history.ts';
import { isAvailable, memberPods, ordinalOf } from './statefulset-pods.ts';

/** By the kind of a workload: the controller of kube-controller-manager that deletes its Pods. */
const workloadControllerOf = {
  'statefulsets.apps': 'statefulset-controller',
  'daemonsets.apps': 'daemonset-controller',
  'replicasets.apps': 'replicaset-controller',
  replicationcontrollers: 'replicationcontroller-controller',
} as const;

const statefulSets = 'statefulsets.apps';
const daemonSets = 'daemonsets.apps';
const resources = Object.keys(workloadControllerOf);

/** Pods that a workload deletes: those that have ended, and those that it has too many of. */
export const workloadPods: SyncedController = {
  id: 'workload-pods',
  controllers: Object.values(workloadControllerOf),
  reads: [...resources, 'pods', 'nodes'],
  syncers: [
    syncerOf(statefulSets, memberPods, endedInSet, hasEndedPods),
    {
      runsAs: workloadControllerOf[daemonSets],
      syncs: 'pods',
      sync: syncDaemonPod,
      watches: [daemonSets, 'pods', 'nodes'],
      needsSync: (pod, { view }) =>
        controllerOf(pod)?.kind === 'DaemonSet' &&
        !isBeingDeleted(pod) &&
        (isPodTerminal(pod) || besideOnNode(pod, view).length > 1),
    },
    syncerOf('replicasets.apps', controlledPods, beyondReplicas, hasTooManyPods),
    syncerOf('replicationcontrollers', controlledPods, beyondReplicas, hasTooManyPods),
  ],
};

function controlledPods(view: ByKind, workload: ObjectRecord): readonly ObjectRecord[] {
  return view.controlledBy('pods', workload);
}

type WorkloadKind = keyof typeof workloadControllerOf;

/** Decides about all Pods of a workload that its selector matches: it releases the others. */
function syncerOf(
  syncs: WorkloadKind,
  podsOf: (view: ClusterView, workload: ObjectRecord) => readonly ObjectRecord[],
  decide: (workload: ObjectRecord, pods: readonly ObjectRecord[], now: number) => Decision[],
  needsSync: (workload: ObjectRecord, by: SyncFacts) => boolean,
): SyncController {
  return {
    runsAs: workloadControllerOf[syncs],
    syncs,
    sync(workload, { view, now }) {
      if (isBeingDeleted(workload) || !workload.facts) return [];
      const pods = podsOf(view, workload).filter((pod) => claims(workload, pod));
      return pods.length === 0 ? [] : decide(workload, pods, now);
    },
    watches: [syncs, 'pods'],
    needsSync,
    affectedBy: ({ before, after }, { view }) => [controlling(after ?? before, syncs, view)],
  };
}

function claims({ facts }: ObjectRecord, pod: ObjectRecord): boolean {
  return facts?.selector === undefined || workloadSelects(facts.selector, pod.labels);
}

/** Pods that have ended and are not being deleted, by the uid of their controller. */
const endedByController: IndexKind = {
  resource: 'pods',
  keysOf: (pod) => (isPodTerminal(pod) && !isBeingDeleted(pod) ? controllerUid(pod) : []),
};

function hasEndedPods({ uid }: ObjectRecord, { view }: SyncFacts): boolean {
  return view.index(endedByController).count(uid) > 0;
}

/** `adoption` decides about Pods that have lost their controller in a play, and about who may adopt them. */
function hasTooManyPods(workload: ObjectRecord, { view, memory }: SyncFacts): boolean {
  const { uid, facts } = workload;
  const isOver =
    facts !== undefined && view.index(byController('pods')).count(uid) > replicasOf(workload);
  return isOver && !memory?.released.concerns(workload);
}

/** Pods by the uid of their controller and the Node that they are for. */
const byControllerAndNode: IndexKind = {
  resource: 'pods',
  keysOf: (pod) => controllerUid(pod).map((uid) => `${uid} ${targetNodeOf(pod) ?? ''}`),
};

/** The Pods of the same DaemonSet on the same Node, itself among them. */
function besideOnNode(pod: ObjectRecord, view: ByKind): readonly ObjectRecord[] {
  const [key = ''] = byControllerAndNode.keysOf(pod);
  return view.index(byControllerAndNode).get(key);
}

/**
 * A StatefulSet deletes Pods that have ended, to recreate them. In order, it comes to one once all before it are available; in
 * parallel it may fail to create one before it. Mirrors processReplica and runForAll,
 * pkg/controller/statefulset/stateful_set_control.go (WPOD-1).
 */
function endedInSet(set: ObjectRecord, pods: readonly ObjectRecord[], now: number): Decision[] {
  const { firstOrdinal = 0, podManagementPolicy, minReadySeconds } = set.facts ?? {};
  const positionOf = (pod: ObjectRecord) => {
    const ordinal = ordinalOf(set, pod.name);
    return ordinal >= firstOrdinal && ordinal < firstOrdinal + replicasOf(set)
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
      return deletion(workloadPods.id, pod, {
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
function syncDaemonPod(pod: ObjectRecord, { view, now }: SyncInput): readonly Decision[] {
  const set = controlling(pod, daemonSets, view);
  const node = targetNodeOf(pod);
  if (!set?.facts || isBeingDeleted(pod) || node === undefined || !claims(set, pod)) return [];
  const isThere = view.at('nodes', '', node) !== undefined;
  if (!isThere && view.covers('nodes', '', node)) return [];
  if (isPodTerminal(pod))
    return decided(`it has ended (${pod.facts?.phase}) on ${node}`, 'WPOD-2', isThere);
  const running = besideOnNode(pod, view).filter(
    (one) => claims(set, one) && !isBeingDeleted(one) && !isPodTerminal(one),
  );
  // With maxSurge it runs a Pod of each of two revisions, until its rollout continues (ADOPT-5).
  const revisions = new Set(running.map(({ labels }) => labels?.[revisionLabel]));
  if (running.length <= revisions.size) return [];
  const several = `${running.length} of its Pods run on ${node}, of which it keeps one`;
  return decided(several, 'WPOD-3', false);

  function decided(why: string, rule: string, isSure: boolean): Decision[] {
    const because = `DaemonSet ${set?.name} deletes it: ${why}`;
    const confidence = isSure ? 'certain' : 'unknown';
    return [deletion(workloadPods.id, pod, { ...nextSync(now), because, rule, confidence })];
  }
}

/**
 * Each Pod of too many may be deleted: which is first depends on their Nodes, on when they became ready and on annotations
 * (getPodsToDelete, pkg/controller/replicaset/replica_set.go; WPOD-4).
 */
function beyondReplicas(
  workload: ObjectRecord,
  pods: readonly ObjectRecord[],
  now: number,
): Decision[] {
  const { type, name } = workload;
  const replicas = replicasOf(workload);
  const active = pods.filter(isActive);
  if (active.length <= replicas) return [];
  const because = `${type.kind} ${name} has ${counted(active.length, 'Pod')} and keeps ${replicas}`;
  const confidence = replicas === 0 ? 'certain' : 'unknown';
  return active.map((pod) =>
    deletion(workloadPods.id, pod, { ...nextSync(now), because, rule: 'WPOD-4', confidence }),
  );
}
