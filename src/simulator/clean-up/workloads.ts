import { controllerRevisionHistory } from '../../collectors/controllerrevision-history.ts';
import { controllerOf } from '../../collectors/decide.ts';
import { replicaSetHistory } from '../../collectors/replicaset-history.ts';
import { statefulSetPvcRetention } from '../../collectors/statefulset-pvc-retention.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { Change, ClusterState } from '../cluster-state.ts';
import { type Cluster, focusOn, type KeyedCollector } from './keyed-collector.ts';
import type { IndexKind } from './object-index.ts';
import { condemnedPods, hasCondemned } from './scale-down.ts';

const deployments = 'deployments.apps';
const replicaSets = 'replicasets.apps';
const statefulSets = 'statefulsets.apps';
const daemonSets = 'daemonsets.apps';
const revisions = 'controllerrevisions.apps';

const replicaSetsByController: IndexKind = { resource: replicaSets, keysOf: controllerUid };
const podsByController: IndexKind = { resource: 'pods', keysOf: controllerUid };
/** Those that nobody controls are anybody's in their namespace (CRH-1). */
const revisionsByController: IndexKind = {
  resource: revisions,
  keysOf: (record) => {
    const keys = controllerUid(record);
    return keys.length > 0 ? keys : [nobodysIn(record)];
  },
};

const replicaSetHistories: KeyedCollector = {
  id: replicaSetHistory.id,
  controller: 'deployment-controller',
  kinds: [deployments],
  reads: replicaSetHistory.reads,
  concerns: ({ facts, uid }, { indexes }) =>
    facts !== undefined &&
    indexes.of(replicaSetsByController).count(uid) > (facts.revisionHistoryLimit ?? 10),
  affected: ({ after }, { state }) => [controlling(after, 'Deployment', deployments, state)],
  decide: (deployment, { view, indexes, settings }, { now }) => {
    const owned = indexes.of(replicaSetsByController).get(deployment.uid);
    return replicaSetHistory.decide(
      focusOn(deployment, view, { [replicaSets]: owned }),
      settings,
      now,
    );
  },
};

const revisionsOf = (kind: string, resource: string, controller: KeyedCollector['controller']) => ({
  id: controllerRevisionHistory.id,
  controller,
  kinds: [resource],
  reads: [resource, revisions, 'pods'],
  concerns: (set: ObjectRecord, cluster: Cluster) =>
    set.facts !== undefined &&
    ownRevisions(set, cluster).length > (set.facts.revisionHistoryLimit ?? 10),
  // A pod that goes may have been the last of its revision.
  affected: ({ before, after }: Change, { state }: Cluster) => [
    controlling(after ?? before, kind, resource, state),
  ],
  decide: (set: ObjectRecord, cluster: Cluster, { now }: { readonly now: number }) => {
    const lists = {
      [revisions]: ownRevisions(set, cluster),
      pods: cluster.indexes.of(podsByController).get(set.uid),
    };
    return controllerRevisionHistory.decide(
      focusOn(set, cluster.view, lists),
      cluster.settings,
      now,
    );
  },
});

const claimRetention: KeyedCollector = {
  id: statefulSetPvcRetention.id,
  controller: 'statefulset-controller',
  kinds: [statefulSets],
  reads: [statefulSets, 'pods'],
  concerns: (set, { state }) => {
    const { volumeClaimTemplates: [template] = [], persistentVolumeClaimRetentionPolicy: policy } =
      set.facts ?? {};
    if (set.facts && hasCondemned(set, state)) return true;
    if (template === undefined) return false;
    if (policy?.whenDeleted === 'Delete' || policy?.whenScaled === 'Delete') return true;
    // What is retained and has no owner stays as it is.
    return hasOwnedClaim(set, state);
  },
  affected: ({ before, after }, { state }) => [
    controlling(after ?? before, 'StatefulSet', statefulSets, state),
  ],
  decide: (set, { view, indexes, settings }, { now, isFirst, ranBefore }) => {
    const pods = indexes.of(podsByController).get(set.uid);
    const kept = statefulSetPvcRetention.decide(focusOn(set, view, { pods }), settings, now);
    // What holds up a change of before is not known.
    if ((isFirst && ranBefore) || isBeingDeleted(set)) return kept;
    return [...kept, ...condemnedPods(set, pods, now)];
  },
  linksOf: linksOfSets,
};

export const workloadCollectors: readonly KeyedCollector[] = [
  replicaSetHistories,
  revisionsOf('StatefulSet', statefulSets, 'statefulset-controller'),
  revisionsOf('DaemonSet', daemonSets, 'daemonset-controller'),
  claimRetention,
];

function controllerUid(record: ObjectRecord): readonly string[] {
  const controller = controllerOf(record);
  return controller ? [controller.uid] : [];
}

function nobodysIn({ namespace }: ObjectRecord): string {
  return `nobody's in ${namespace}`;
}

function ownRevisions(set: ObjectRecord, { indexes }: Cluster): ObjectRecord[] {
  const index = indexes.of(revisionsByController);
  return [...index.get(set.uid), ...index.get(nobodysIn(set))];
}

function controlling(
  record: ObjectRecord | undefined,
  kind: string,
  resource: string,
  state: ClusterState,
): ObjectRecord | undefined {
  const reference = record && controllerOf(record);
  if (!reference || reference.kind !== kind) return undefined;
  const found = state.at(resource, record.namespace, reference.name);
  return found?.uid === reference.uid && !isBeingDeleted(found) ? found : undefined;
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

/** A StatefulSet, its pods, and their claims: by the name that all of their names have in common. */
function linksOfSets({ type, namespace, name, facts }: ObjectRecord): readonly string[] {
  const pod = /^(.+)-\d+$/.exec(name)?.[1];
  switch (type.kind) {
    case 'StatefulSet':
      return [
        `${namespace}/${name}`,
        ...(facts?.volumeClaimTemplates ?? []).map(
          (template) => `${namespace}/${template}-${name}`,
        ),
      ];
    case 'PersistentVolumeClaim':
    case 'Pod':
      return pod === undefined ? [] : [`${namespace}/${pod}`];
    default:
      return [];
  }
}
