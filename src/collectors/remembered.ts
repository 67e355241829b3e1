import type { ClusterView } from './cluster-view.ts';
import type { CollectorMemory } from './collector-memory.ts';

/**
 * What the cluster tells of its controllers' memory: the leader's Lease says since when it leads, and with
 * a new leader all memory begins anew (KCM-7). A Lease that nobody renews says nothing.
 */
export function rememberedBy(view: ClusterView, now: number): CollectorMemory {
  const lease = view.at('leases.coordination.k8s.io', 'kube-system', 'kube-controller-manager');
  const { acquireTime, renewTime, leaseDurationSeconds = 15 } = lease?.facts ?? {};
  if (acquireTime === undefined || renewTime === undefined) return {};
  if (Date.parse(renewTime) + leaseDurationSeconds * 1000 < now) return {};
  return { startedAt: Date.parse(acquireTime) };
}
