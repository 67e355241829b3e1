import type { Decision } from '../../collectors/collector.ts';
import { deletion, nextSync } from '../../collectors/decide.ts';
import { statefulSetPvcRetention } from '../../collectors/statefulset-pvc-retention.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { ClusterState } from '../cluster-state.ts';

/**
 * Pods beyond the replicas of a StatefulSet go, as their claims may follow them: all at once, or the last
 * one first, each when all before it are ready. Mirrors processCondemned, pkg/controller/statefulset.
 */
export function condemnedPods(
  set: ObjectRecord,
  pods: readonly ObjectRecord[],
  now: number,
): readonly Decision[] {
  const condemned = pods
    .filter((pod) => isBeyond(set, ordinalOf(pod)))
    .sort((a, b) => ordinalOf(b) - ordinalOf(a));
  const others = pods.filter((pod) => !condemned.includes(pod));
  if (set.facts?.podManagementPolicy === 'Parallel') return condemned.flatMap(removed);
  const [last, ...rest] = condemned;
  if (!last || others.length < (set.facts?.replicas ?? 1) || !others.every(isHealthy)) return [];
  return isHealthy(last) || rest.every(isHealthy) ? removed(last) : [];

  function removed(pod: ObjectRecord): Decision[] {
    if (isBeingDeleted(pod)) return [];
    const because = `StatefulSet ${set.name} has ${set.facts?.replicas ?? 1} replicas, and this pod is beyond them`;
    return [
      deletion(statefulSetPvcRetention.id, pod, { ...nextSync(now), because, rule: 'STS-2' }),
    ];
  }
}

/** Is there a pod right behind the last one, or before the first? */
export function hasCondemned(set: ObjectRecord, state: ClusterState): boolean {
  const { firstOrdinal: first = 0, replicas = 1 } = set.facts ?? {};
  const podAt = (ordinal: number) => state.at('pods', set.namespace, `${set.name}-${ordinal}`);
  return podAt(first + replicas) !== undefined || (first > 0 && podAt(first - 1) !== undefined);
}

function isBeyond({ facts }: ObjectRecord, ordinal: number): boolean {
  const { firstOrdinal: first = 0, replicas = 1 } = facts ?? {};
  return ordinal >= 0 && (ordinal < first || ordinal >= first + replicas);
}

function ordinalOf({ name }: ObjectRecord): number {
  const digits = /-(\d+)$/.exec(name)?.[1];
  return digits === undefined ? -1 : Number(digits);
}

function isHealthy(pod: ObjectRecord): boolean {
  const { phase, conditions = [] } = pod.facts ?? {};
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  return phase === 'Running' && isReady && !isBeingDeleted(pod);
}
