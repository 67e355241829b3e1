import type { ObjectRecord } from '../../kube/object-record.ts';
import type { DeletionIntent, PlanContext } from '../../plan/intent.ts';
import type { Plan, PlannedCluster } from '../../plan/plan.ts';
import { planDeletion } from '../../plan/plan-deletion.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { OpenedCluster } from '../input.ts';
import type { DeleteOptions } from './delete-options.ts';
import { readForPlan, sameObjects } from './read-for-plan.ts';

export function intentOf(
  targets: readonly ObjectRecord[],
  { propagationPolicy, gracePeriodSeconds, order }: DeleteOptions,
): DeletionIntent {
  return {
    targets,
    policy: propagationPolicy,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    order,
  };
}

export function contextOf(snapshot: Snapshot, cluster: PlannedCluster): PlanContext {
  return { now: Date.parse(snapshot.observedAt), settings: {}, cluster };
}

/** A plan, and the picture that it was made from. */
export interface Planned {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  /** The targets as the picture has them. */
  readonly targets: readonly ObjectRecord[];
}

/** Reads what these objects' deletion can touch, and plans it. */
export async function planOnCluster(
  cluster: OpenedCluster,
  named: readonly ObjectRecord[],
  options: DeleteOptions,
  where: PlannedCluster,
): Promise<Planned> {
  const snapshot = await readForPlan(cluster, named);
  const targets = sameObjects(snapshot, named);
  const plan = planDeletion(snapshot, intentOf(targets, options), contextOf(snapshot, where));
  return { plan, snapshot, targets };
}
