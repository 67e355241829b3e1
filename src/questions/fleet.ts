import type { CoverageProblem } from '../snapshot/coverage.ts';
import { type DocumentHead, documentHead } from '../snapshot/snapshot.ts';
import type { AuditReport } from './audit/document.ts';
import type { ForecastReport } from './forecast/document.ts';
import type { OrphansReport } from './orphans/document.ts';
import type { StuckDeletionsReport } from './why/stuck-document.ts';

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

/** `coverage` counts what was read of all clusters together, and each of its problems names its cluster. */
export function fleetReport(clusters: readonly ClusterAnswer[]): FleetReport {
  const read = clusters.flatMap(({ report }) => report?.coverage ?? []);
  return {
    ...documentHead(
      'Fleet',
      read.reduce((total, { kinds }) => total + kinds, 0),
      read.reduce((total, { objects }) => total + objects, 0),
      clusters.flatMap(problemsOf),
    ),
    clusters,
  };
}

function problemsOf({ context, report, failure }: ClusterAnswer): CoverageProblem[] {
  if (!failure) {
    return (report?.coverage.problems ?? []).map((problem) => ({ cluster: context, ...problem }));
  }
  const { code, message } = failure;
  const reason = /timeout|timed-out/.test(code) ? 'timed-out' : 'unavailable';
  return [{ cluster: context, reason, message }];
}
