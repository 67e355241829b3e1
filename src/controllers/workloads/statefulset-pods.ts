import { counted } from '../../kube/counts-by-kind.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { isReady, readyConditionOf, replicasOf } from '../../kube/well-known-kinds.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision } from '../controller.ts';
import { deletion, nextSync, timeIn } from '../decision.ts';
import { revisionLabel } from './controllerrevision-history.ts';

/** -1 of a pod that is not called as one of the set's. */
export function ordinalOf({ name }: Pick<ObjectRecord, 'name'>, podName: string): number {
  const rest = podName.startsWith(`${name}-`) ? podName.slice(name.length + 1) : '';
  return /^\d+$/.test(rest) ? Number(rest) : -1;
}

/**
 * Does the StatefulSet take the pod for its own, by its name? `web-01` is no pod of `web` since v1.38. Mirrors isMemberOf,
 * pkg/controller/statefulset/stateful_set_utils.go.
 */
export function isMemberOf(set: ObjectRecord, { name }: ObjectRecord, minor: number): boolean {
  const ordinal = ordinalOf(set, name);
  return ordinal >= 0 && (minor < 38 || name === `${set.name}-${ordinal}`);
}

/** The pods that a StatefulSet controls and takes for its own. */
export function memberPods(view: ClusterView, set: ObjectRecord): ObjectRecord[] {
  return view.controlledBy('pods', set).filter((pod) => isMemberOf(set, pod, view.minor));
}

/** The names of its claims without their ordinals: `TEMPLATE-SET`. */
export function claimNamesOf({ name, facts }: Pick<ObjectRecord, 'name' | 'facts'>): string[] {
  return (facts?.volumeClaimTemplates ?? []).map((template) => `${template.name}-${name}`);
}

/** -1 of a claim that is not called as one of the set's: `TEMPLATE-SET-NUMBER`. */
export function claimOrdinalOf(set: ObjectRecord, claim: Pick<ObjectRecord, 'name'>): number {
  const ordinals = claimNamesOf(set).map((name) => ordinalOf({ name }, claim.name));
  return Math.max(-1, ...ordinals);
}

/** The numbers of the objects that are called `NAME-NUMBER`. */
export function ordinalsOf(names: readonly string[], objects: readonly ObjectRecord[]): number[] {
  return objects.flatMap((object) =>
    names.map((name) => ordinalOf({ name }, object.name)).filter((ordinal) => ordinal >= 0),
  );
}

/** To look each of so many up by its name takes less than to find those that are used. */
const fewOrdinals = 1000;

/**
 * The ordinals from `first` to `end`. A set may want two thousand million replicas, so of many only those are there that
 * are `used`, and one of each row of others between them: ordinals without a pod and claims are all alike.
 */
export function ordinalsBetween(first: number, end: number, used: () => number[]): number[] {
  if (end - first <= fewOrdinals) {
    return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  }
  const ordinals: number[] = [];
  let next = first;
  for (const ordinal of [...new Set(used())].sort((a, b) => a - b)) {
    if (ordinal < first || ordinal >= end) continue;
    if (ordinal > next) ordinals.push(next);
    ordinals.push(ordinal);
    next = ordinal + 1;
  }
  if (next < end) ordinals.push(next);
  return ordinals;
}

/** Mirrors isRunningAndReady and isTerminating, pkg/controller/statefulset/stateful_set_utils.go. */
export function isHealthy(pod: ObjectRecord): boolean {
  return pod.facts?.phase === 'Running' && isReady(pod) && !isBeingDeleted(pod);
}

/** Healthy, and ready for minReadySeconds: isUnavailable, pkg/controller/statefulset/stateful_set_utils.go, says the opposite. */
export function isAvailable(pod: ObjectRecord, seconds: number | undefined, now: number): boolean {
  return isHealthy(pod) && isReadyFor(pod, seconds, now);
}

/** Mirrors IsPodAvailable, pkg/api/v1/pod/util.go, of a pod that is ready. */
export function isReadyFor(pod: ObjectRecord, seconds = 0, now: number): boolean {
  const since = readyConditionOf(pod)?.lastTransitionTime;
  return seconds === 0 || (since !== undefined && timeIn(since) + seconds * 1000 < now);
}

const retentionId = 'statefulset-pvc-retention';

/**
 * Pods beyond the replicas of a StatefulSet are deleted, and their claims may be deleted after them: all together, or the
 * last one first, each when all Pods before it are ready for minReadySeconds. Until then it is undetermined whether these
 * become ready, or are deleted and replaced. Mirrors processCondemned, pkg/controller/statefulset/stateful_set_control.go.
 */
export function condemnedPods(
  set: ObjectRecord,
  pods: readonly ObjectRecord[],
  now: number,
): readonly Decision[] {
  const condemned = pods
    .filter((pod) => isBeyond(set, pod))
    .sort((a, b) => ordinalOf(set, b.name) - ordinalOf(set, a.name));
  if (condemned.length === 0) return [];
  if (set.facts?.podManagementPolicy === 'Parallel') return condemned.flatMap(removed);
  const [last, ...rest] = condemned;
  const staying = pods.filter((pod) => !isBeyond(set, pod) && !isBeingDeleted(pod));
  const isReady = (pod: ObjectRecord) => isAvailable(pod, set.facts?.minReadySeconds, now);
  const isHeld = staying.length < replicasOf(set) || !staying.every(isReady);
  const isNext = last && (isReady(last) || isBeingDeleted(last) || rest.every(isReady));
  if (isNext && !isHeld) return removed(last);
  return condemned.flatMap(removed).map((one) => ({ ...one, confidence: 'unknown' }));

  function removed(pod: ObjectRecord): Decision[] {
    if (isBeingDeleted(pod)) return [];
    const because = `StatefulSet ${set.name} has ${counted(replicasOf(set), 'replica')}, and this Pod is beyond that`;
    return [deletion(retentionId, pod, { ...nextSync(now), because, rule: 'STS-2' })];
  }
}

/** The claims of pods of which it is open whether they go: these come to own them before. */
export function claimsWith(
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
      because: `${because}, and is deleted with it`,
    }));
}

/** The API server takes this strategy only with the gate; a controller without it leaves the whole set alone (STS-6). */
export function recreates({ facts }: ObjectRecord): boolean {
  return facts?.updateStrategy === 'Recreate';
}

/**
 * All Pods of another revision are deleted together. If the controller has not seen the spec yet, the current revision is
 * unknown. Mirrors recreateDeleteAndWait, pkg/controller/statefulset/stateful_set_control.go.
 */
export function outdatedPods(
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
      deletion(retentionId, pod, {
        ...nextSync(now),
        because,
        rule: 'STS-6',
        confidence,
      }),
    );
}

export function isBeyond(set: ObjectRecord, pod: ObjectRecord): boolean {
  const { firstOrdinal: first = 0 } = set.facts ?? {};
  const ordinal = ordinalOf(set, pod.name);
  return ordinal >= 0 && (ordinal < first || ordinal >= first + replicasOf(set));
}
