import { isEmptySelector } from '../../kube/label-selector.ts';
import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import {
  apiDefaults,
  deployments,
  replicaSets,
  revisionHistoryLimitOf,
} from '../../kube/well-known-kinds.ts';
import { byController, type ClusterView, controlling } from '../cluster-view.ts';
import type { Decision, Kept, SyncedController, SyncInput } from '../controller.ts';
import { byCreationAndName, deletion, nextSync, oldestOf } from '../decision.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';

/**
 * Deployments delete their oldest ReplicaSets. Mirrors cleanupDeployment,
 * pkg/controller/deployment/sync.go.
 */
export const replicaSetHistory: SyncedController = {
  id: 'replicaset-history',
  controllers: ['deployment-controller'],
  reads: [deployments, replicaSets],
  syncers: [
    {
      runsAs: 'deployment-controller',
      syncs: deployments,
      sync: (deployment, by) => decideOnDeployment(deployment, by),
      needsSync: (deployment, { view }) =>
        deployment.facts !== undefined &&
        view.index(byController(replicaSets)).count(deployment.uid) >
          revisionHistoryLimitOf(deployment),
      affectedBy: ({ after }, { view }) => [controlling(after, deployments, view)],
    },
  ],
  kept: keptForRollback,
};

/** An old ReplicaSet without replicas within the limit of its Deployment (RSH-5). */
function keptForRollback(view: ClusterView, set: ObjectRecord): Kept | undefined {
  const deployment = view.at(deployments, set.namespace, controllerOf(set)?.name ?? '');
  if (!deployment?.facts || controllerOf(set)?.uid !== deployment.uid || !isIdle(set)) {
    return undefined;
  }
  const owned = setsOf(view, deployment);
  const { current } = newSetOf(deployment, owned);
  if (set.uid === current?.uid) return undefined;
  const limit = revisionHistoryLimitOf(deployment);
  const standard = deployment.facts.revisionHistoryLimit === undefined ? ', the default' : '';
  const old = owned.filter((one) => one !== current).length;
  return {
    because: `Deployment ${deployment.name} keeps the last ${limit} of its old ReplicaSets for a rollback (revisionHistoryLimit ${limit}${standard}), and has ${old}`,
    next: 'To have it deleted, set a lower revisionHistoryLimit of the Deployment.',
    rule: 'RSH-5',
  };
}

function setsOf(view: ClusterView, deployment: ObjectRecord): readonly ObjectRecord[] {
  return view.controlledBy(replicaSets, deployment);
}

function decideOnDeployment(
  deployment: ObjectRecord,
  { view, now, memory }: SyncInput,
): Decision[] {
  if (!deployment.facts || !cleansUp(deployment)) return [];
  // The largest limit is none: as many ReplicaSets no Deployment has (RSH-2).
  const limit = revisionHistoryLimitOf(deployment);
  // `adoption` decides about ReplicaSets that it has just adopted.
  const owned = setsOf(view, deployment).filter((set) => !memory?.released.has(set));
  const { current, isSure } = newSetOf(deployment, owned);
  const alive = owned.filter((set) => set !== current && !isBeingDeleted(set));
  return excessReplicaSets(alive, limit).map((set) =>
    deletion(replicaSetHistory.id, set, {
      ...nextSync(now),
      confidence: isSure && alive.every(hasRevision) ? 'certain' : 'likely',
      because: `Deployment ${deployment.name} has ${alive.length} old ReplicaSets, and its revisionHistoryLimit is ${limit}; this one is of revision ${revisionOf(set) ?? 'nothing'} and has no replicas`,
      rule: 'RSH-5',
    }),
  );
}

/**
 * The oldest ReplicaSets beyond the limit; one that is still in use counts but stays (RSH-4,
 * RSH-5).
 * @internal
 */
export function excessReplicaSets(old: readonly ObjectRecord[], limit: number): ObjectRecord[] {
  return oldestBeyond(limit, old).filter(isIdle);
}

export function oldestBeyond(limit: number, old: readonly ObjectRecord[]): ObjectRecord[] {
  const excess = old.length - limit;
  // In the same order whatever that of the input: revisions that are no numbers make a ring of some.
  return excess > 0 ? old.toSorted(byCreationAndName).sort(byRevision).slice(0, excess) : [];
}

/** RSH-1: paused without a rollback under way, or complete. */
function cleansUp(deployment: ObjectRecord): boolean {
  const { facts = {}, annotations, deletionTimestamp, uid } = deployment;
  if (deletionTimestamp !== undefined || uid === '') return false;
  if (isEmptySelector(facts.selector)) return false;
  return facts.paused
    ? annotations?.['deprecated.deployment.rollback.to'] === undefined
    : isComplete(deployment);
}

/** Has a Deployment nothing but the pods of its template? Mirrors DeploymentComplete, pkg/controller/deployment/util. */
export function isComplete({ facts = {} }: ObjectRecord): boolean {
  const {
    replicas = apiDefaults.replicas,
    statusReplicas = 0,
    updatedReplicas = 0,
    availableReplicas = 0,
  } = facts;
  const counts = [statusReplicas, updatedReplicas, availableReplicas];
  const observed = (facts.observedGeneration ?? 0) >= (facts.generation ?? 0);
  return observed && counts.every((count) => count === replicas);
}

/**
 * The ReplicaSet of the Deployment's pod template: FindNewReplicaSet, pkg/controller/deployment/util. A record keeps
 * part of the template, so the Deployment's revision stands for it, unless that part differs: a paused
 * Deployment may have no ReplicaSet of its template yet, or an earlier one.
 */
function newSetOf(
  deployment: ObjectRecord,
  owned: readonly ObjectRecord[],
): { readonly current: ObjectRecord | undefined; readonly isSure: boolean } {
  const possible = owned.filter((set) => !differInTemplate(deployment, set));
  if (possible.length === 0) return { current: undefined, isSure: true };
  const revision = deployment.annotations?.[revisionAnnotation];
  if (revision === undefined) {
    return { current: possible.toSorted(byRevision).at(-1), isSure: true };
  }
  const ofRevision = oldestOf(
    owned.filter(({ annotations }) => annotations?.[revisionAnnotation] === revision),
  );
  if (!ofRevision || possible.includes(ofRevision)) {
    return { current: ofRevision, isSure: ofRevision !== undefined };
  }
  return { current: oldestOf(possible), isSure: false };
}

/** Are the pod templates certainly not the same, as far as records keep them? */
export function differInTemplate({ facts }: ObjectRecord, other: ObjectRecord): boolean {
  const partOf = (of: ObjectRecord['facts']) =>
    JSON.stringify([of?.containers, of?.serviceAccountName]);
  const areRead = facts?.containers !== undefined && other.facts?.containers !== undefined;
  return areRead && partOf(facts) !== partOf(other.facts);
}

/** Equal revisions, and those that are no numbers, are ordered by creation and name (RSH-4). */
function byRevision(a: ObjectRecord, b: ObjectRecord): number {
  const [one, other] = [revisionOf(a), revisionOf(b)];
  if (one !== undefined && other !== undefined && one !== other) return one - other;
  return byCreationAndName(a, b);
}

/** Is its place in the order certain? The order of the controller's cache decides among those without a number. */
function hasRevision(set: ObjectRecord): boolean {
  return revisionOf(set) !== undefined;
}

function revisionOf({ annotations }: ObjectRecord): number | undefined {
  const text = annotations?.[revisionAnnotation] ?? '0';
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

function isIdle({ facts = {} }: ObjectRecord): boolean {
  const {
    statusReplicas = 0,
    replicas = apiDefaults.replicas,
    generation = 0,
    observedGeneration = 0,
  } = facts;
  return statusReplicas === 0 && replicas === 0 && generation <= observedGeneration;
}
