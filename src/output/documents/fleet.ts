import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { type DocumentHead, documentHead } from '../../snapshot/snapshot.ts';
import type { AuditReport } from './audit.ts';
import type { ForecastReport } from './forecast.ts';
import type { OrphansReport } from './orphans.ts';
import type { StuckDeletionsReport } from './stuck.ts';

/** The documents that can be about several clusters. */
export type ClusterReport = AuditReport | OrphansReport | StuckDeletionsReport | ForecastReport;

/** One question, put to several clusters. */
export interface FleetReport extends DocumentHead<'Fleet'> {
  readonly clusters: readonly ClusterAnswer[];
}

/** What one cluster answered, or why it did not. */
export interface ClusterAnswer {
  readonly context: string;
  /** Why it was not read. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** Its own document. */
  readonly report?: ClusterReport;
}

/** What one cluster answered, or why it did not, as it was asked. */
interface AskedCluster {
  readonly context: string;
  readonly report: ClusterReport | undefined;
  readonly failure: { readonly code: string; readonly message: string } | undefined;
}

/** `coverage` counts what was read of all clusters together, and each of its problems names its cluster. */
export function fleetReport(asked: readonly AskedCluster[]): FleetReport {
  const read = asked.flatMap(({ report }) => report?.coverage ?? []);
  return {
    ...documentHead(
      'Fleet',
      read.reduce((total, { kinds }) => total + kinds, 0),
      read.reduce((total, { objects }) => total + objects, 0),
      asked.flatMap(problemsOf),
    ),
    clusters: asked.map(({ context, report, failure }) => ({
      context,
      ...(failure && { failure: { code: failure.code, message: failure.message } }),
      ...(report && { report }),
    })),
  };
}

function problemsOf({ context, report, failure }: AskedCluster): CoverageProblem[] {
  if (!failure) {
    return (report?.coverage.problems ?? []).map((problem) => ({ cluster: context, ...problem }));
  }
  const { code, message } = failure;
  const reason = /timeout|timed-out/.test(code) ? 'timed-out' : 'unavailable';
  return [{ cluster: context, reason, message }];
}
