import { protections } from '../../controllers/finalizers/protection.ts';
import type { EnabledControllers } from '../../controllers/settings/enabled-controllers.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { objectKey } from '../../kube/object-reference.ts';
import { isPod } from '../../kube/well-known-kinds.ts';

/** Finalizers that controllers of Kubernetes remove in the course of a deletion, by the object's key. */
export type Released = ReadonlyMap<string, readonly string[]>;

const jobTracking = 'batch.kubernetes.io/job-tracking';

/**
 * What is left terminating only until the Job controller has counted it. That controller is not simulated:
 * `left` is what a simulation leaves, in which its finalizers stay.
 */
export function releasedFinalizers(
  left: readonly ObjectRecord[],
  isEnabled: EnabledControllers,
): Released {
  if (!isEnabled('job-controller')) return new Map();
  const tracked = left.filter(
    (record) => isPod(record) && isBeingDeleted(record) && record.finalizers.includes(jobTracking),
  );
  return new Map(tracked.map((pod) => [objectKey(pod), [jobTracking]]));
}

/** The records without these finalizers. */
export function withoutFinalizers(
  records: readonly ObjectRecord[],
  released: Released,
): readonly ObjectRecord[] {
  if (released.size === 0) return records;
  return records.map((record) => {
    const free = released.get(objectKey(record));
    if (!free) return record;
    const finalizers = record.finalizers.filter((name) => !free.includes(name));
    return { ...record, finalizers };
  });
}

/** The simulator removes the protections of claims and volumes, and those of other kinds. */
const conditional: ReadonlySet<string> = new Set([
  ...protections.map(({ finalizer }) => finalizer),
  'kubernetes.io/pvc-protection',
  'kubernetes.io/pv-protection',
  jobTracking,
]);

/** Is it known when kube-controller-manager removes the finalizer? */
export function hasCondition(finalizer: string): boolean {
  return conditional.has(finalizer);
}
