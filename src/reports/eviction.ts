import {
  graceOf,
  isMet,
  type Observations,
  parseThresholds,
  thresholdValue,
} from '../kubelet/eviction-thresholds.ts';
import type { KubeletGcSettings } from '../kubelet/kubelet-settings.ts';
import {
  type DiskLayout,
  type Reclaim,
  reclaimsFor,
  withContainerFs,
} from '../kubelet/node-reclaim.ts';

/** One threshold of the eviction manager, and what it does there before it evicts a pod (EV-2). */
export interface EvictionThresholdReport {
  readonly signal: string;
  readonly kind: 'hard' | 'soft';
  /** As it was written: `15%`. */
  readonly threshold: string;
  /** In bytes, inodes or processes; left out where the signal is not observed. */
  readonly value?: number;
  readonly available?: number;
  readonly met?: boolean;
  /** How long a soft threshold has to be met. */
  readonly graceSeconds?: number;
  readonly reclaims: readonly Reclaim[];
}

export function evictionReport(
  settings: KubeletGcSettings,
  observations: Observations,
  layout: DiskLayout | undefined,
): EvictionThresholdReport[] {
  const hard = parseThresholds(settings.evictionHard, 'hard').thresholds;
  const soft = parseThresholds(settings.evictionSoft, 'soft').thresholds;
  const thresholds = [...hard, ...soft];
  const all = layout === undefined ? thresholds : withContainerFs(thresholds, layout);
  return all.map((threshold) => {
    const { signal, kind, written } = threshold;
    const observed = observations[signal];
    const met = isMet(threshold, observations);
    const grace = kind === 'soft' ? graceOf(signal, settings) : undefined;
    return {
      signal,
      kind,
      threshold: written,
      ...(observed && {
        value: thresholdValue(threshold, observed.capacity),
        available: observed.available,
      }),
      ...(met !== undefined && { met }),
      ...(grace !== undefined && { graceSeconds: grace / 1000 }),
      reclaims: reclaimsFor(signal, layout ?? 'one-filesystem'),
    };
  });
}
