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

/** The next pass of a collector that begins one every `period`; without memory any time within a period. */
export function nextPass(
  id: CollectorId,
  period: number,
  now: number,
  memory: CollectorMemory | undefined,
): { readonly notBefore: number; readonly notAfter: number } {
  const last = memory?.lastPasses?.get(id);
  if (last === undefined) return { notBefore: now, notAfter: now + period };
  const next = Math.max(now, last + period);
  return { notBefore: next, notAfter: next };
}
