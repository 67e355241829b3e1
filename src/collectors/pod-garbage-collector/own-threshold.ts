import type { ObjectRecord } from '../../kube/object-record.ts';
import { byEvictionAndCreation, isTerminated } from './terminated-pods.ts';

export type GroupBy = 'namespace' | 'owner';

export interface BeyondThreshold {
  readonly pod: ObjectRecord;
  readonly group: string;
  readonly because: string;
}

/**
 * A threshold that upstream does not have: of the terminated pods of each namespace, or of each owner, the
 * last `keep` in upstream's order stay. Pods that are being deleted already are not counted.
 */
export function beyondOwnThreshold(
  pods: readonly ObjectRecord[],
  keep: number,
  per: GroupBy,
): BeyondThreshold[] {
  const ended = pods.filter((pod) => isTerminated(pod) && pod.deletionTimestamp === undefined);
  const groups = Map.groupBy(ended, (pod) => (per === 'namespace' ? pod.namespace : ownerOf(pod)));
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([group, members]) =>
      members
        .sort(byEvictionAndCreation)
        .slice(0, Math.max(0, members.length - keep))
        .map((pod) => ({
          pod,
          group,
          because: `${members.length} pods of ${group} have ended and ${keep} may stay; evicted ones go first, then the oldest`,
        })),
    );
}

/** The controller's name; a pod without one is its own group with the others of its namespace. */
function ownerOf({ namespace, ownerReferences }: ObjectRecord): string {
  const owner = ownerReferences.find(({ controller }) => controller === true) ?? ownerReferences[0];
  return owner ? `${namespace}/${owner.kind}/${owner.name}` : `${namespace}/no owner`;
}
