import type { KubeletGcSettings } from '../../kubelet/configuration/kubelet-settings.ts';
import {
  type DiskLayout,
  graceOf,
  isThresholdMet,
  parseThresholds,
  type Reclaim,
  reclaimsFor,
  type SignalObservations,
  thresholdValue,
  withContainerFs,
} from '../../kubelet/eviction/eviction-thresholds.ts';
import type { NodeFacts } from '../../kubelet/node-facts.ts';
import type { DocumentHead } from '../../snapshot/snapshot.ts';

/** The head of a document about nodes: `objects` counts them. */
export function nodeHead<K extends string>(kind: K, facts: readonly NodeFacts[]): DocumentHead<K> {
  const problems = facts.flatMap((one) => one.problems);
  return {
    apiVersion: 'kubectl-gc/v1',
    kind,
    coverage: { complete: problems.length === 0, kinds: 1, objects: facts.length, problems },
  };
}

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
  observations: SignalObservations,
  layout: DiskLayout | undefined,
): EvictionThresholdReport[] {
  const hard = parseThresholds(settings.evictionHard, 'hard').thresholds;
  const soft = parseThresholds(settings.evictionSoft, 'soft').thresholds;
  const thresholds = [...hard, ...soft];
  const all = layout === undefined ? thresholds : withContainerFs(thresholds, layout);
  return all.map((threshold) => {
    const { signal, kind, written } = threshold;
    const observed = observations[signal];
    const met = isThresholdMet(threshold, observations);
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
