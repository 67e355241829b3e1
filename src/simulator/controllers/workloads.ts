import type { SyncController } from '../../controllers/controller.ts';
import { controllerOf } from '../../controllers/decision.ts';
import { adoption, waitingDaemonPods } from '../../controllers/workloads/adoption.ts';
import { controllerRevisionHistory } from '../../controllers/workloads/controllerrevision-history.ts';
import { replicaSetHistory } from '../../controllers/workloads/replicaset-history.ts';
import { statefulSetPvcRetention } from '../../controllers/workloads/statefulset-pvc-retention.ts';
import { isBeyond, recreates } from '../../controllers/workloads/statefulset-scaling.ts';
import { workloadPods } from '../../controllers/workloads/workload-pods.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf, targetNodeOf } from '../../kube/pod-use.ts';
import { isPodTerminal } from '../../kube/well-known-kinds.ts';
import type { Change, ClusterState } from '../engine/cluster-state.ts';
import { byController, controllerUid, controlling, type IndexKind, ownName } from './indexes.ts';
import {
  type Cluster,
  type KeyedController,
  keyed,
  type LinkSources,
  syncedBy,
  withLists,
} from './keyed-controller.ts';

const deployments = 'deployments.apps';
const replicaSets = 'replicasets.apps';
const daemonSets = 'daemonsets.apps';
const statefulSets = 'statefulsets.apps';
const revisions = 'controllerrevisions.apps';

/** A revision without a controller can belong to any set in its namespace (CRH-1). */
const revisionsByController: IndexKind = {
  resource: revisions,
  keysOf: (record) => {
    const keys = controllerUid(record);
    return keys.length > 0 ? keys : [unownedIn(record)];
  },
};

const replicaSetHistories = keyed(replicaSetHistory, {
  concerns: ({ facts, uid }, { indexes }) =>
    facts !== undefined &&
    indexes.of(byController(replicaSets)).count(uid) > (facts.revisionHistoryLimit ?? 10),
  affected: ({ after }, { state }) => [controlling(after, deployments, state)],
  listsOf: ({ uid }, { indexes, freed }) => {
    const all = indexes.of(byController(replicaSets)).get(uid);
    // What it has just adopted is for `adoption` to judge.
    return { [replicaSets]: all.filter((set) => !freed.has(set)) };
  },
});

const revisionsOf = (syncer: SyncController): KeyedController => {
  const resource = syncer.syncs;
  const wiring = {
    reads: [resource, revisions, 'pods'],
    concerns: (set: ObjectRecord, cluster: Cluster) =>
      set.facts !== undefined &&
      ownRevisions(set, cluster).length > (set.facts.revisionHistoryLimit ?? 10),
    // A pod that goes may have been the last of its revision.
    affected: ({ before, after }: Change, { state }: Cluster) => [
      controlling(after ?? before, resource, state),
    ],
    listsOf: (set: ObjectRecord, cluster: Cluster) => ({ [revisions]: ownRevisions(set, cluster) }),
    // A revision without a controller counts for every set in its namespace.
    links: {
      [revisions]: (record: ObjectRecord) => (controllerOf(record) ? [] : [unownedIn(record)]),
      [resource]: (set: ObjectRecord, { indexes }: LinkSources) => {
        const unowned = unownedIn(set);
        return indexes.of(revisionsByController).count(unowned) > 0 ? [unowned] : [];
      },
    },
  };
  return keyed(controllerRevisionHistory, wiring, syncer);
};

const claimRetention = keyed(statefulSetPvcRetention, {
  reads: [statefulSets, 'pods'],
  concerns: (set, cluster) => {
    const { volumeClaimTemplates: [template] = [], persistentVolumeClaimRetentionPolicy: policy } =
      set.facts ?? {};
    if (recreates(set) || (set.facts && ownPods(set, cluster).some((pod) => isBeyond(set, pod))))
      return true;
    if (template === undefined) return false;
    if (policy?.whenDeleted === 'Delete' || policy?.whenScaled === 'Delete') return true;
    // A retained claim without an owner is not changed.
    return hasOwnedClaim(set, cluster.state);
  },
  affected: ({ before, after }, { state }) => [controlling(after ?? before, statefulSets, state)],
  // By the name that all of their names have in common.
  links: {
    [statefulSets]: (set) => [...ownName(set), ...claimNamesOf(set)],
    pods: setOfOrdinal,
    persistentvolumeclaims: setOfOrdinal,
  },
});

const podsAwaiting: IndexKind = {
  resource: 'pods',
  keysOf: (pod) => {
    const node = knownNodeOf(pod) === undefined ? targetNodeOf(pod) : undefined;
    return node === undefined ? [] : [node];
  },
};

const waitingPods = keyed(
  { id: adoption.id, reads: ['nodes'], syncers: [waitingDaemonPods] },
  {
    present: () => [],
    concerns: (pod) => controllerOf(pod)?.kind === 'DaemonSet' && !isBeingDeleted(pod),
    affected: ({ before, after }, { indexes }) =>
      before && !after ? indexes.of(podsAwaiting).get(before.name) : [],
  },
);

/** Pods that have ended and are not being deleted, by the uid of their controller. */
const endedByController: IndexKind = {
  resource: 'pods',
  keysOf: (pod) => (isPodTerminal(pod) && !isBeingDeleted(pod) ? controllerUid(pod) : []),
};

/** Pods by the uid of their controller and the Node that they are for. */
const byControllerAndNode: IndexKind = {
  resource: 'pods',
  keysOf: (pod) => controllerUid(pod).map((uid) => `${uid} ${targetNodeOf(pod) ?? ''}`),
};

/** Pods that have ended, and those that are beyond the replicas. */
const unneededPods = workloadPods.syncers
  .filter(({ syncs }) => syncs !== daemonSets)
  .map((syncer) => {
    const resource = syncer.syncs;
    const wiring = {
      reads: [resource, 'pods'],
      concerns: ({ uid, facts }: ObjectRecord, { indexes }: Cluster) =>
        resource === statefulSets
          ? indexes.of(endedByController).count(uid) > 0
          : facts !== undefined &&
            indexes.of(byController('pods')).count(uid) > (facts.replicas ?? 1),
      affected: ({ before, after }: Change, { state }: Cluster) => [
        controlling(after ?? before, resource, state),
      ],
    };
    const one = keyed(workloadPods, wiring, syncer);
    // What has lost its controller during a run, and who may adopt it, is for `adoption` to judge.
    const concerns: KeyedController['concerns'] = (set, cluster) =>
      one.concerns(set, cluster) && !cluster.freed.concerns(set);
    return resource === statefulSets ? one : { ...one, concerns };
  });

const [daemonPods] = workloadPods.syncers.filter(({ syncs }) => syncs === daemonSets);
const syncDaemonSet = daemonPods && syncedBy(daemonPods);

/** A DaemonSet has a Pod for each Node: those of one Node are looked at alone. */
const unneededOnNodes: KeyedController = {
  id: workloadPods.id,
  controller: 'daemonset-controller',
  kinds: ['pods'],
  reads: [daemonSets, 'pods', 'nodes'],
  concerns: (pod, cluster) =>
    controllerOf(pod)?.kind === 'DaemonSet' &&
    !isBeingDeleted(pod) &&
    (isPodTerminal(pod) || besideOnNode(pod, cluster).length > 1),
  decide: (pod, cluster, occasion) => {
    const set = controlling(pod, daemonSets, cluster.state);
    if (!set || !syncDaemonSet) return [];
    const view = withLists(cluster.view, { pods: besideOnNode(pod, cluster) });
    return syncDaemonSet(set, { ...cluster, view }, occasion).filter(
      ({ object }) => object === pod,
    );
  },
};

export const workloadControllers: readonly KeyedController[] = [
  replicaSetHistories,
  ...controllerRevisionHistory.syncers.map(revisionsOf),
  claimRetention,
  waitingPods,
  ...unneededPods,
  unneededOnNodes,
];

function unownedIn({ namespace }: ObjectRecord): string {
  return `unowned in ${namespace}`;
}

function ownPods({ uid }: ObjectRecord, { indexes }: Cluster): readonly ObjectRecord[] {
  return indexes.of(byController('pods')).get(uid);
}

/** The Pods of the same DaemonSet on the same Node, itself among them. */
function besideOnNode(pod: ObjectRecord, { indexes }: Cluster): readonly ObjectRecord[] {
  const [key = ''] = byControllerAndNode.keysOf(pod);
  return indexes.of(byControllerAndNode).get(key);
}

function ownRevisions(set: ObjectRecord, { indexes, freed }: Cluster): ObjectRecord[] {
  const index = indexes.of(revisionsByController);
  const all = [...index.get(set.uid), ...index.get(unownedIn(set))];
  return all.filter((revision) => !freed.has(revision));
}

function hasOwnedClaim({ facts, namespace, name }: ObjectRecord, state: ClusterState): boolean {
  return (facts?.volumeClaimTemplates ?? []).some((template) => {
    for (let ordinal = facts?.firstOrdinal ?? 0; ; ordinal++) {
      const claim = state.at('persistentvolumeclaims', namespace, `${template}-${name}-${ordinal}`);
      if (!claim) return false;
      if (claim.ownerReferences.length > 0) return true;
    }
  });
}

/** What stands before the ordinals of its claims. */
function claimNamesOf({ namespace, name, facts }: ObjectRecord): readonly string[] {
  return (facts?.volumeClaimTemplates ?? []).map((template) => `${namespace}/${template}-${name}`);
}

/** What stands before the ordinal of a pod or a claim. */
function setOfOrdinal({ namespace, name }: ObjectRecord): readonly string[] {
  const before = /^(.+)-\d+$/.exec(name)?.[1];
  return before === undefined ? [] : [`${namespace}/${before}`];
}
