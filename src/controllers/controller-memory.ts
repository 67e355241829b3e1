import type { ClusterView } from './cluster-view.ts';
import type { ControllerId } from './controller-ids.ts';
import { isLeaseValid } from './leader-lease.ts';

/**
 * What only a running controller has in memory, in epoch milliseconds. Each unknown value widens
 * the time range of a decision.
 */
export interface ControllerMemory {
  /** When the leading kube-controller-manager started its controllers. */
  readonly startedAt?: number;
  /** When a controller that works in passes began its last one. */
  readonly lastPasses?: ReadonlyMap<ControllerId, number>;
  /** Pod garbage collection: when the quarantine of a missing node ends, by the node's name (PG-12). */
  readonly quarantine?: ReadonlyMap<string, number>;
  /** Pod garbage collection: until when a missing node was there, by the node's name. */
  readonly lastSeen?: ReadonlyMap<string, number>;
  /** Taint eviction: when a pod's time is up, by its uid (NODE-8). */
  readonly evictions?: ReadonlyMap<string, number>;
}

/**
 * What the cluster shows of its controllers' memory: the Lease says since when the leader leads,
 * and a new leader starts with an empty memory (KCM-7). A Lease that is not being renewed says
 * nothing.
 */
export function memoryFromLease(view: ClusterView, now: number): ControllerMemory {
  const lease = view.at('leases.coordination.k8s.io', 'kube-system', 'kube-controller-manager');
  const acquireTime = lease?.facts?.acquireTime;
  if (acquireTime === undefined || !isLeaseValid(lease?.facts ?? {}, now)) return {};
  return { startedAt: Date.parse(acquireTime) };
}
