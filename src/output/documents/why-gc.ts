import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { DocumentHead } from '../../snapshot/snapshot.ts';
import type { Canary } from '../../why/ask/canary.ts';
import type { HealthCheck } from '../../why/garbage-collector/health-check.ts';
import { reasonOf } from './why.ts';

/** `why --gc`: does the garbage collector itself work? */
export interface GarbageCollectorHealthReport extends DocumentHead<'CollectorHealth'> {
  /** `unknown`: nothing is known to be wrong, but not everything could be looked at. */
  readonly health: 'ok' | 'failing' | 'unknown';
  readonly checks: readonly HealthCheck[];
  readonly canary?: Canary;
}

export function garbageCollectorHealthReport(
  checks: readonly HealthCheck[],
  canary: Canary | undefined,
): GarbageCollectorHealthReport {
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
