import type { Decision } from '../../controllers/controller.ts';
import { controllerOf, deletion, nextSync } from '../../controllers/decision.ts';
import { adoption } from '../../controllers/workloads/adoption.ts';
import {
  controllerRevisionHistory,
  revisionLabel,
} from '../../controllers/workloads/controllerrevision-history.ts';
import { replicaSetHistory } from '../../controllers/workloads/replicaset-history.ts';
import {
  isAvailable,
  ordinalOf,
  statefulSetPvcRetention,
} from '../../controllers/workloads/statefulset-pvc-retention.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf, targetNodeOf } from '../../kube/pod-use.ts';
import type { ClusterState } from '../engine/cluster-state.ts';
import { byController, controllerUid, controlling, type IndexKind, ownName } from './indexes.ts';
import { type Cluster, decidedBy, type KeyedController, keyed } from './keyed-controller.ts';

const deployments = 'deployments.apps';
const replicaSets = 'replicasets.apps';
const statefulSets = 'statefulsets.apps';
const daemonSets = 'daemonsets.apps';
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
  kinds: [deployments],
  concerns: ({ facts, uid }, { indexes }) =>
    facts !== undefined &&
    indexes.of(byController(replicaSets)).count(uid) > (facts.revisionHistoryLimit ?? 10),
  affected: ({ after }, { state }) => [controlling(after, deployments, state)],
  decide: decidedBy(replicaSetHistory, undefined, ({ uid }, { indexes, freed }) => {
    const all = indexes.of(byController(replicaSets)).get(uid);
    // What it has just adopted is for `adoption` to judge.
    return { [replicaSets]: all.filter((set) => !freed.has(set)) };
  }),
});

const revisionsOf = (
  resource: string,
  controller: KeyedController['controller'],
): KeyedController => ({
  id: controllerRevisionHistory.id,
  controller,
  kinds: [resource],
  reads: [resource, revisions, 'pods'],
  concerns: (set, cluster) =>
    set.facts !== undefined &&
    ownRevisions(set, cluster).length > (set.facts.revisionHistoryLimit ?? 10),
  // A pod that goes may have been the last of its revision.
  affected: ({ before, after }, { state }) => [controlling(after ?? before, resource, state)],
  decide: decidedBy(controllerRevisionHistory, undefined, (set, cluster) => ({
    [revisions]: ownRevisions(set, cluster),
    pods: ownPods(set, cluster),
  })),
  // A revision without a controller counts for every set in its namespace.
  links: {
    [revisions]: (record) => (controllerOf(record) ? [] : [unownedIn(record)]),
    [resource]: (set, { indexes }) => {
      const unowned = unownedIn(set);
      return indexes.of(revisionsByController).count(unowned) > 0 ? [unowned] : [];
    },
  },
});

const claimRetention = keyed(statefulSetPvcRetention, {
  kinds: [statefulSets],
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
  decide: (set, cluster, occasion) => {
    if (recreates(set) && cluster.settings.StatefulSetRecreateStrategy === false) return [];
    const { now, isFirst, ranBefore } = occasion;
    const pods = ownPods(set, cluster);
    const kept = decidedBy(statefulSetPvcRetention, undefined, () => ({ pods }))(
      set,
      cluster,
      occasion,
    );
    if (isBeingDeleted(set)) return kept;
    const outdated = recreates(set) ? outdatedPods(set, pods, now) : [];
    // What delays a change from before the simulation is unknown.
    if (isFirst && ranBefore) return [...kept, ...outdated];
    const condemned = condemnedPods(set, pods, now);
    return [...kept, ...outdated, ...condemned, ...claimsWith(set, condemned, kept)];
  },
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

/** A DaemonSet's pod that waits for a Node which is gone. Mirrors getUnscheduledPodsWithoutNode, pkg/controller/daemon. */
const waitingDaemonPods: KeyedController = {
  id: adoption.id,
  controller: 'daemonset-controller',
  kinds: ['pods'],
  reads: ['nodes'],
  present: () => [],
  concerns: (pod) => controllerOf(pod)?.kind === 'DaemonSet' && !isBeingDeleted(pod),
  affected: ({ before, after }, { indexes }) =>
    before && !after ? indexes.of(podsAwaiting).get(before.name) : [],
  decide: (pod, _cluster, { now }) => [
    deletion(adoption.id, pod, {
      ...nextSync(now),
      because: `it waits for Node ${targetNodeOf(pod)}, which is gone: its DaemonSet deletes it`,
      rule: 'ADOPT-5',
    }),
  ],
};

export const workloadControllers: readonly KeyedController[] = [
  replicaSetHistories,
  revisionsOf(statefulSets, 'statefulset-controller'),
  revisionsOf(daemonSets, 'daemonset-controller'),
  claimRetention,
  waitingDaemonPods,
];

function unownedIn({ namespace }: ObjectRecord): string {
  return `unowned in ${namespace}`;
}

function ownPods({ uid }: ObjectRecord, { indexes }: Cluster): readonly ObjectRecord[] {
  return indexes.of(byController('pods')).get(uid);
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

/**
 * Pods beyond the replicas of a StatefulSet go, as their claims may follow them: all at once, or the last
 * one first, each when all before it are ready for minReadySeconds. As long as they are not, it is open whether they get
 * ready, or go and get a successor. Mirrors processCondemned, pkg/controller/statefulset/stateful_set_control.go.
 */
function condemnedPods(
  set: ObjectRecord,
  pods: readonly ObjectRecord[],
  now: number,
): readonly Decision[] {
  const condemned = pods
    .filter((pod) => isBeyond(set, pod))
    .sort((a, b) => ordinalOf(set, b.name) - ordinalOf(set, a.name));
  const others = pods.filter((pod) => !condemned.includes(pod));
  if (set.facts?.podManagementPolicy === 'Parallel') return condemned.flatMap(removed);
  const [last, ...rest] = condemned;
  const staying = others.filter((pod) => !isBeingDeleted(pod));
  const isReady = (pod: ObjectRecord) => isAvailable(pod, set.facts?.minReadySeconds, now);
  const isHeld = staying.length < (set.facts?.replicas ?? 1) || !staying.every(isReady);
  const isNext = last && (isReady(last) || isBeingDeleted(last) || rest.every(isReady));
  if (isNext && !isHeld) return removed(last);
  return condemned.flatMap(removed).map((one) => ({ ...one, confidence: 'unknown' }));

  function removed(pod: ObjectRecord): Decision[] {
    if (isBeingDeleted(pod)) return [];
    const because = `StatefulSet ${set.name} has ${set.facts?.replicas ?? 1} replicas, and this pod is beyond them`;
    return [
      deletion(statefulSetPvcRetention.id, pod, { ...nextSync(now), because, rule: 'STS-2' }),
    ];
  }
}

/** The claims of pods of which it is open whether they go: these come to own them before. */
function claimsWith(
  { facts }: ObjectRecord,
  condemned: readonly Decision[],
  kept: readonly Decision[],
): readonly Decision[] {
  if (facts?.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return [];
  const isOf = (claim: ObjectRecord) =>
    condemned.some(({ object }) => claim.name.endsWith(`-${object.name}`));
  return kept
    .filter(({ object, confidence }) => confidence === 'unknown' && isOf(object))
    .map(({ patch: _, because, ...decision }) => ({
      ...decision,
      action: 'delete',
      because: `${because}, and goes with that`,
    }));
}

/** The API server takes this strategy only with the gate; a controller without it leaves the whole set alone (STS-6). */
function recreates({ facts }: ObjectRecord): boolean {
  return facts?.updateStrategy === 'Recreate';
}

/**
 * All pods of another revision go at once. Which is the set's own is not known of a spec that the controller has not
 * seen. Mirrors recreateDeleteAndWait, pkg/controller/statefulset/stateful_set_control.go.
 */
function outdatedPods(
  { name, facts = {} }: ObjectRecord,
  pods: readonly ObjectRecord[],
  now: number,
): readonly Decision[] {
  const { updateRevision, generation = 0, observedGeneration = 0 } = facts;
  const isNew = updateRevision === '';
  const isKnown = isNew || (updateRevision !== undefined && generation <= observedGeneration);
  const because = isKnown
    ? `StatefulSet ${name} recreates its pods, and this one is of another revision`
    : `StatefulSet ${name} recreates its pods, if its template has changed`;
  const confidence = isKnown ? 'certain' : 'unknown';
  return pods
    .filter((pod) => {
      const isCurrent = pod.labels?.[revisionLabel] === updateRevision;
      return !isBeingDeleted(pod) && !(isKnown && isCurrent);
    })
    .map((pod) =>
      deletion(statefulSetPvcRetention.id, pod, {
        ...nextSync(now),
        because,
        rule: 'STS-6',
        confidence,
      }),
    );
}

function isBeyond(set: ObjectRecord, pod: ObjectRecord): boolean {
  const { firstOrdinal: first = 0, replicas = 1 } = set.facts ?? {};
  const ordinal = ordinalOf(set, pod.name);
  return ordinal >= 0 && (ordinal < first || ordinal >= first + replicas);
}
