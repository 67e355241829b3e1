import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { isReady, readyConditionOf } from '../../kube/well-known-kinds.ts';
import type { ClusterView } from '../cluster-view.ts';
import { timeIn } from '../decision.ts';

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

/** -1 of a claim that is not called as one of the set's: `TEMPLATE-SET-NUMBER`. */
export function claimOrdinalOf(
  { name, facts }: ObjectRecord,
  claim: Pick<ObjectRecord, 'name'>,
): number {
  const ordinals = (facts?.volumeClaimTemplates ?? []).map((template) =>
    ordinalOf({ name: `${template}-${name}` }, claim.name),
  );
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
