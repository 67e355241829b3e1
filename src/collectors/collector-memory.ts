import type { CollectorId } from './collector-ids.ts';

/**
 * What lives only inside a running controller, in epoch milliseconds. Whatever is not known widens the
 * range of a decision's time.
 */
export interface CollectorMemory {
  /** When the leading kube-controller-manager started its controllers. */
  readonly startedAt?: number;
  /** When a collector that works in passes began its last one. */
  readonly lastPasses?: ReadonlyMap<CollectorId, number>;
  /** Pod garbage collection: when the quarantine of a missing node ends, by the node's name (PG-12). */
  readonly quarantine?: ReadonlyMap<string, number>;
  /** Taint eviction: when a pod's time is up, by its uid (NODE-8). */
  readonly evictions?: ReadonlyMap<string, number>;
}
