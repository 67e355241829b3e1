import type { CollectorCheck } from '../diagnosis/collector-check.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import type { DocumentHead } from './document.ts';
import { reasonOf } from './why.ts';

/** What became of the canary: an owner and a dependent, and how soon the dependent was collected. */
export interface Canary {
  readonly state: 'collected' | 'not-collected' | 'not-created';
  readonly because: string;
  /** From the owner's deletion until the dependent was gone; unset when it was not. */
  readonly milliseconds?: number;
  /** What could not be cleaned up; empty when nothing is left. */
  readonly left: readonly string[];
}

/** `why --gc`: is the collector itself in order? */
export interface CollectorHealthReport extends DocumentHead<'CollectorHealth'> {
  /** `unknown`: nothing is known to be wrong, but not everything could be looked at. */
  readonly health: 'ok' | 'failing' | 'unknown';
  readonly checks: readonly CollectorCheck[];
  readonly canary?: Canary;
}

export function collectorHealthReport(
  checks: readonly CollectorCheck[],
  canary: Canary | undefined,
): CollectorHealthReport {
  const problems = new Map<string, CoverageProblem>();
  for (const entry of checks.flatMap(({ evidence }) => evidence)) {
    if (!('couldNotRead' in entry)) continue;
    problems.set(entry.what, {
      reason: reasonOf(entry.couldNotRead),
      message: `could not read ${entry.what}: ${entry.couldNotRead}`,
    });
  }
  const isFailing =
    checks.some(({ state }) => state === 'failing') || canary?.state === 'not-collected';
  const isUnknown = checks.some(({ state }) => state === 'unknown');
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'CollectorHealth',
    coverage: {
      complete: problems.size === 0,
      kinds: 0,
      objects: 0,
      problems: [...problems.values()],
    },
    health: isFailing ? 'failing' : isUnknown ? 'unknown' : 'ok',
    checks,
    ...(canary && { canary }),
  };
}
