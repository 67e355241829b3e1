import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { byEvictionAndCreation, isTerminated } from './pass.ts';

/** The Pods that have ended, in the order in which pod garbage collection deletes them above its threshold (PG-6). */
export interface EndedPods {
  readonly pods: readonly ObjectRecord[];
  /** How many are above the threshold now; negative: as many more may end before the first is deleted. */
  readonly above: number;
}

export const noEndedPods: EndedPods = { pods: [], above: 0 };

/**
 * The Pods of a cluster that have ended. `threshold` undefined: it could not be read. Then the cluster may be at it: all that
 * were above it are being deleted already.
 */
export function endedPodsIn(
  records: Iterable<ObjectRecord>,
  threshold: number | undefined,
): EndedPods {
  // 0 and less turn the step off.
  if (threshold !== undefined && threshold <= 0) return noEndedPods;
  const pods = [...records]
    .filter((record) => isPod(record) && record.facts !== undefined && isTerminated(record))
    .sort(byEvictionAndCreation);
  if (threshold !== undefined) return { pods, above: pods.length - threshold };
  const alive = pods.findIndex((pod) => !isBeingDeleted(pod));
  return { pods, above: alive < 0 ? pods.length : alive };
}

/** The ended Pods that may be deleted because so many more Pods end, and stay while a finalizer blocks them. */
export function deletedAsMoreEnd({ pods, above }: EndedPods, more: number): ObjectRecord[] {
  const count = above + more;
  const last = more > 0 ? pods[Math.min(count, pods.length) - 1] : undefined;
  if (!last) return [];
  return pods.filter(
    (pod, at) => !isBeingDeleted(pod) && (at < count || byEvictionAndCreation(pod, last) === 0),
  );
}
