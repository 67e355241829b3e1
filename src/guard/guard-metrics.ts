import { gaugesOf, type Metric } from '../output/prometheus-text.ts';
import type { ReviewResult } from './answer-deletion.ts';
import type { WatchedCluster } from './watched-cluster.ts';

/** Upper bounds of the histogram, in seconds; a DELETE waits no longer than the last. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

const guardGauge = gaugesOf('kubectl_gc_guard');

/** What a guard has answered since it began. */
export class GuardCounts {
  readonly #verdicts: Record<ReviewResult, number> = {
    quiet: 0,
    warned: 0,
    refused: 0,
    approved: 0,
    unknown: 0,
  };
  readonly #within = bounds.map(() => 0);
  #answers = 0;
  #seconds = 0;
  #failures = 0;

  judged(verdict: ReviewResult): void {
    this.#verdicts[verdict] += 1;
  }

  failed(): void {
    this.#failures += 1;
  }

  answered(milliseconds: number): void {
    const seconds = milliseconds / 1000;
    this.#answers += 1;
    this.#seconds += seconds;
    for (const [at, bound] of bounds.entries()) {
      if (seconds <= bound) this.#within[at] = (this.#within[at] ?? 0) + 1;
    }
  }

  metrics(
    cluster: Pick<WatchedCluster, 'index' | 'isSynced' | 'stale'>,
    { now, areRulesValid }: { readonly now: number; readonly areRulesValid: boolean },
  ): Metric[] {
    const { stale } = cluster;
    const name = 'kubectl_gc_guard_answer_seconds';
    const help = 'How long deletions waited for an answer.';
    const buckets = bounds.map((bound, at) => ({
      labels: { le: String(bound) },
      value: this.#within[at] ?? 0,
    }));
    const all = { labels: { le: '+Inf' }, value: this.#answers };
    return [
      {
        name: 'kubectl_gc_guard_deletions_total',
        type: 'counter',
        help: 'Deletions that were judged, by what was answered.',
        samples: Object.entries(this.#verdicts).map(([verdict, value]) => ({
          labels: { verdict },
          value,
        })),
      },
      {
        name: 'kubectl_gc_guard_failures_total',
        type: 'counter',
        help: 'Deletions that could not be judged, because of a mistake of the guard.',
        samples: [{ labels: {}, value: this.#failures }],
      },
      { name, type: 'histogram', help, samples: [...buckets, all], sum: this.#seconds },
      guardGauge('objects', 'Objects that are watched.', cluster.index.size),
      guardGauge('synced', '1 once every kind was listed.', Number(cluster.isSynced)),
      guardGauge(
        'stale_seconds',
        'For how long a kind could not be watched; 0: all are watched.',
        stale ? Math.max(0, (now - stale.since) / 1000) : 0,
      ),
      guardGauge('unwatched_kinds', 'Kinds that cannot be watched now.', stale?.kinds.length ?? 0),
      guardGauge(
        'rules_valid',
        '1 if the newest rules are in effect; 0: they are wrong.',
        Number(areRulesValid),
      ),
    ];
  }
}
