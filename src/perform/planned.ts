import type { Plan } from '../deletion/plan/plan.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** A plan, and the snapshot that it was made from. */
export interface Planned {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  /** The targets as the snapshot has them. */
  readonly targets: readonly ObjectRecord[];
}
