import { isolated } from '../../snapshot/isolated.ts';
import type { DeletionIntent, PlanEvidence, Planned } from './plan.ts';
import { planDeletion } from './plan-deletion.ts';

/** The plan of a deletion from what was read for it. */
export function planFrom<Evidence extends PlanEvidence>(
  evidence: Evidence,
  how: Omit<DeletionIntent, 'targets'>,
): Evidence & Pick<Planned, 'plan'> {
  const { snapshot, targets, context } = evidence;
  const plan = isolated(snapshot, (known, same) =>
    planDeletion(known, { ...how, targets: same(targets) }, context),
  );
  return { ...evidence, plan };
}
