import type { NodeFacts } from '../node-facts.ts';
import {
  graceOf,
  isThresholdMet,
  parseThresholds,
  type Reclaim,
  reclaimsFor,
} from './eviction-thresholds.ts';

/** How often the eviction manager checks its thresholds, in milliseconds (EV-2). */
export const evictionPeriod = 10_000;

/** What the eviction manager does on a node because a threshold is met. Epoch milliseconds. */
export interface NodeEviction {
  /** As in `imagefs.available<15%`. */
  readonly name: string;
  readonly reclaims: readonly Reclaim[];
  /** The earliest moment: the threshold may already have been met for its grace period. */
  readonly from: number;
  /** The latest moment at which the threshold has been met for its grace period. */
  readonly at: number;
}

/** The thresholds that are met and make the eviction manager free disk. */
export function evictionsOf(facts: NodeFacts, kind: 'hard' | 'soft', now: number): NodeEviction[] {
  const { settings, observations, layout } = facts;
  if (layout === undefined) return [];
  const written = kind === 'hard' ? settings.evictionHard : settings.evictionSoft;
  return parseThresholds(written, kind)
    .thresholds.filter((threshold) => !threshold.signal.startsWith('containerfs.'))
    .filter((threshold) => isThresholdMet(threshold, observations) === true)
    .flatMap((threshold) => {
      const reclaims = reclaimsFor(threshold.signal, layout);
      const grace = kind === 'soft' ? (graceOf(threshold.signal, settings) ?? 0) : 0;
      const name = `${threshold.signal}<${threshold.written}`;
      return reclaims.length === 0 ? [] : [{ name, reclaims, from: now, at: now + grace }];
    });
}
