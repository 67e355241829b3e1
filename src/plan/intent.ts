import type { PropagationPolicy } from '../collectors/garbage-collector/judge.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { SimulationSettings } from '../settings/simulation-settings.ts';
import type { PlannedCluster } from './plan.ts';

/**
 * server: only the targets are requested, and controllers do the rest. leaf-first: every object is
 * requested, dependents before their owners.
 */
export type DeletionOrder = 'server' | 'leaf-first';

/** What somebody wants to be deleted. */
export interface DeletionIntent {
  /** In the order in which they are requested. */
  readonly targets: readonly ObjectRecord[];
  readonly policy: PropagationPolicy;
  readonly gracePeriodSeconds?: number;
  readonly order: DeletionOrder;
}

/** What a plan is made for. */
export interface PlanContext {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly settings: Partial<SimulationSettings>;
  readonly cluster: PlannedCluster;
}
