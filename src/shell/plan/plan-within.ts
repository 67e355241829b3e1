import type { Planned, PlannedCluster } from '../../deletion/plan/plan.ts';
import { planDeletion } from '../../deletion/plan/plan-deletion.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { DeleteOptions } from '../flags/delete-options.ts';
import type { OpenedCluster } from '../input/session.ts';
import { computing } from '../terminal/interruption.ts';
import { contextOf, intentOf } from './planning.ts';
import { readAsking } from './read-asking.ts';
import { readForPlan, readPrograms, sameObjects } from './read-for-plan.ts';
import { readHeld } from './read-held.ts';

/** Reads what else these objects' deletion can touch, after what is near them, and plans it. */
export async function planWithin(
  near: Snapshot | undefined,
  cluster: OpenedCluster,
  named: readonly ObjectRecord[],
  options: DeleteOptions,
  where: PlannedCluster,
): Promise<Planned> {
  const read = await readForPlan(cluster, named, near);
  const { snapshot, reached, reach } = read;
  const [held, asking] = await Promise.all([readHeld(cluster, read), readAsking(cluster, read)]);
  const programs = await readPrograms(cluster, {
    snapshot,
    reached: [...reached, ...held.records],
  });
  const context = { ...contextOf(snapshot, where), programs, held, asking, reach };
  const targets = sameObjects(snapshot, named);
  const plan = computing(() => planDeletion(snapshot, intentOf(targets, options), context));
  return { plan, snapshot, targets };
}
