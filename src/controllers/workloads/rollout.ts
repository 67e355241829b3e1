import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { kindAndName } from '../../kube/object-reference.ts';
import { targetNodeOf } from '../../kube/pod-use.ts';
import {
  pods,
  replicaSets,
  replicasOf,
  revisionHistoryLimitOf,
} from '../../kube/well-known-kinds.ts';
import { type ByKind, byController } from '../cluster-view.ts';
import type { Decision } from '../controller.ts';
import { isActive } from '../jobs/job.ts';
import { type Adoption, currentOf, isLivingPod, possibleDeletions } from './after-adoption.ts';
import { revisionLabel, revisionOf } from './controllerrevision-history.ts';
import { isComplete, oldestBeyond } from './replicaset-history.ts';
import { isAvailable, ordinalOf } from './statefulset-pods.ts';

type Objects = readonly ObjectRecord[];

/**
 * The Pods that a rollout may delete after a Pod that blocked it was deleted: the controller creates another Pod in its
 * place, which may become ready. How many are deleted then depends on how many may be unavailable, so each outdated Pod may be
 * deleted. A Pod that is available blocks nothing: without it, one more is unavailable until its successor is ready. `lost`
 * are Pods as they were before their deletion.
 */
export function rolloutAfter(adoption: Adoption, lost: Objects, now: number): readonly Decision[] {
  const { adopter } = adoption;
  const { minReadySeconds, updateStrategy = 'RollingUpdate' } = adopter.facts ?? {};
  // OnDelete deletes no others; Recreate deletes all together, whatever is ready (STS-6).
  if (!adopter.facts || isBeingDeleted(adopter) || updateStrategy !== 'RollingUpdate') return [];
  const [rule, outdated, holders] = kinds[adopter.type.kind]?.(adoption, lost) ?? ['', [], []];
  if (holders.every((pod) => isAvailable(pod, minReadySeconds, now))) return [];
  const because = `${kindAndName(adopter)} may continue its rollout once a blocking Pod is deleted, and then deletes Pods of other templates`;
  return possibleDeletions(outdated, because, rule, now);
}

/** May anything be outdated? Most workloads have nothing that is, and lose Pods often: that is decided early. */
export function mayBeOutdated(workload: ObjectRecord, view: ByKind): boolean {
  if (workload.type.kind !== 'Deployment') return true;
  const { old } = currentAndOldSets(workload, view.controlledBy(replicaSets, workload));
  const byUid = view.index(byController(pods));
  return (
    old.length > revisionHistoryLimitOf(workload) || old.some(({ uid }) => byUid.count(uid) > 0)
  );
}

/** The ReplicaSet of a Deployment's template, and those of others that stay. */
function currentAndOldSets(deployment: ObjectRecord, own: Objects) {
  const current = currentOf(deployment, own);
  return { current, old: own.filter((set) => set !== current && !isBeingDeleted(set)) };
}

/** The rule by which it deletes, the Pods of another template, and the Pods that may have blocked the rollout. */
const kinds: Record<string, (adoption: Adoption, lost: Objects) => [string, Objects, Objects]> = {
  /**
   * Old ReplicaSets hold nothing up, whatever is ready of them, and go when the rollout ends: none has replicas then.
   * Mirrors reconcileOldReplicaSets, pkg/controller/deployment/rolling.go.
   */
  Deployment({ adopter, own, podsOf }, lost) {
    if (adopter.facts?.paused || isComplete(adopter)) return ['ADOPT-3', [], []];
    const limit = revisionHistoryLimitOf(adopter);
    const { current, old } = currentAndOldSets(adopter, own);
    const outdated = [...old.flatMap(podsOf).filter(isActive), ...oldestBeyond(limit, old)];
    const isCurrent = (pod: ObjectRecord) => !current || controllerOf(pod)?.uid === current.uid;
    return ['ADOPT-3', outdated, lost.filter(isCurrent)];
  },
  /** Mirrors updateStatefulSet, pkg/controller/statefulset/stateful_set_control.go, behind processCondemned. */
  StatefulSet({ adopter, own }, lost) {
    const { firstOrdinal = 0, partition = 0 } = adopter.facts ?? {};
    const { currentRevision, updateRevision } = adopter.facts ?? {};
    const outdated = own.filter(isLivingPod).filter((pod) => {
      const index = ordinalOf(adopter, pod.name) - firstOrdinal;
      const { [revisionLabel]: revision = currentRevision } = pod.labels ?? {};
      return index >= partition && index < replicasOf(adopter) && revision !== updateRevision;
    });
    return ['ADOPT-4', updateRevision === undefined ? [] : outdated, lost];
  },
  /**
   * The revision with the highest number is current, or that of the Pod if none was read. With maxSurge, a new Pod
   * that is not ready blocks the rollout as long as the old one exists beside it. Mirrors rollingUpdate, pkg/controller/daemon/update.go.
   */
  DaemonSet({ own }, lost) {
    const living = own.filter(isLivingPod);
    const revisions = own.filter(({ type }) => type.kind === 'ControllerRevision');
    const [current] = revisions.sort((a, b) => revisionOf(b) - revisionOf(a));
    const hashOf = ({ labels }: ObjectRecord) => labels?.[revisionLabel];
    const hashes = (current ? [current] : lost).map(hashOf);
    const outdated = living.filter((pod) => !hashes.includes(hashOf(pod)));
    const nodes = new Set(lost.map(targetNodeOf));
    const beside = living.filter((pod) => nodes.has(targetNodeOf(pod)));
    return ['ADOPT-5', outdated, [...lost, ...beside]];
  },
};
