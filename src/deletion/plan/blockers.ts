import { CRD_CLEANUP, FOREGROUND, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { objectKey } from '../../kube/object-reference.ts';
import { knownFinalizer } from '../../programs/known-finalizers.ts';
import type { Simulation } from '../../simulator/simulate.ts';
import type { Stuck } from '../../simulator/stuck-objects.ts';

/** Answers for each object that a simulation leaves terminating: its blockers, and the reason in words. */
export function blockersIn({
  stuck,
}: Simulation): (end: ObjectRecord) => Pick<Stuck, 'because' | 'blockedBy'> {
  const byKey = new Map(stuck.map((entry) => [objectKey(entry.object), entry]));
  return (end) => {
    const entry = byKey.get(objectKey(end));
    const because = entry?.because ?? 'its deletion takes longer than was looked ahead';
    return {
      because: [because, ...end.finalizers.flatMap((one) => hintOf(one, end))].join('; '),
      blockedBy: entry?.blockedBy ?? [],
    };
  };
}

/**
 * Of a finalizer that nothing simulates, who would remove it, and when: `the PVC protection controller removes
 * kubernetes.io/pvc-protection when no pod uses the claim`.
 */
function hintOf(finalizer: string, { type }: ObjectRecord): string[] {
  const isSimulated = [FOREGROUND, ORPHAN, CRD_CLEANUP].includes(finalizer);
  const known = isSimulated ? undefined : knownFinalizer(finalizer, type);
  return known ? [`the ${known.setBy.title} removes ${finalizer} when ${known.removedWhen}`] : [];
}
