import type { AuditVerdict } from '../../audit/audit.ts';
import { exitCodes } from '../../errors.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { CoverageSummary, DocumentHead } from '../../snapshot/snapshot.ts';
import type { AuditReport, AuditSummary, ClusterAudit } from './audit.ts';
import type { ForecastReport } from './forecast.ts';
import type { OrphansReport } from './orphans.ts';
import type { StuckDeletionsReport } from './stuck.ts';

/** The documents that can be about several clusters. */
export type ClusterReport = AuditReport | OrphansReport | StuckDeletionsReport | ForecastReport;

/** One question, put to several clusters. */
export interface FleetReport extends DocumentHead<'Fleet'> {
  /** RFC 3339: the clock of the cluster that was read last; that of this machine where none was read. */
  readonly at: string;
  /** The kind of document that each cluster has by itself. */
  readonly of: ClusterReport['kind'];
  readonly clusters: readonly ClusterAnswer[];
  /** The items of all clusters, in the order of `clusters`. */
  readonly items: readonly (ClusterReport['items'][number] & { readonly cluster: string })[];
}

export interface ClusterAnswer {
  readonly context: string;
  readonly server?: string;
  readonly status: 'read' | 'partly-read' | 'not-read';
  /** What the command ends with for this context alone; 3 where it was not read. */
  readonly exitCode: number;
  /** Why it was not read. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** Its own document, but for the items. */
  readonly report?: WithoutItems<ClusterReport>;
}

type WithoutItems<T> = T extends unknown ? Omit<T, 'items'> : never;

/** What one cluster answered, or why it did not. */
export interface AskedCluster {
  readonly context: string;
  readonly server: string | undefined;
  readonly exitCode: number;
  readonly report?: ClusterReport | undefined;
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

/** `coverage` counts what was read of all clusters together; clusters that were not read are its first problems. */
export function fleetReport(
  of: ClusterReport['kind'],
  asked: readonly AskedCluster[],
  at: string,
): FleetReport {
  const clusters = asked.map(answerOf);
  const read = asked.flatMap(({ context, report }) =>
    report ? [{ context, ...report.coverage }] : [],
  );
  const problems = [
    ...clusters.flatMap(notRead),
    ...read.flatMap((one) => one.problems.map((problem) => ({ cluster: one.context, ...problem }))),
  ];
  const sum = (of: (one: CoverageSummary) => number) =>
    read.reduce((total, one) => total + of(one), 0);
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Fleet',
    coverage: {
      complete: clusters.every(({ status }) => status === 'read'),
      kinds: sum(({ kinds }) => kinds),
      objects: sum(({ objects }) => objects),
      problems,
    },
    at,
    of,
    clusters,
    items: asked.flatMap(({ context, report }) =>
      tagged<ClusterReport['items'][number]>(context, report?.items ?? []),
    ),
  };
}

function answerOf({ context, server, exitCode, report, failure }: AskedCluster): ClusterAnswer {
  const head = { context, ...(server !== undefined && { server }) };
  if (!report) {
    const { code, message } = failure ?? { code: 'unknown', message: 'it did not answer' };
    return { ...head, status: 'not-read', exitCode, failure: { code, message } };
  }
  const { items: _, ...rest } = report;
  const status = report.coverage.complete ? 'read' : 'partly-read';
  return { ...head, status, exitCode, report: rest };
}

function notRead({ context, failure }: ClusterAnswer): CoverageProblem[] {
  if (!failure) return [];
  const { code, message } = failure;
  const reason = /timeout|timed-out/.test(code) ? 'timed-out' : 'unavailable';
  return [{ cluster: context, reason, message }];
}

function tagged<T>(cluster: string, entries: readonly T[]): (T & { readonly cluster: string })[] {
  return entries.map((entry) => ({ cluster, ...entry }));
}

/**
 * All clusters as if they were one, each entry with its cluster: what the formats print that are made for a
 * report on one.
 */
export function asOneReport(fleet: FleetReport): ClusterReport {
  const { apiVersion, of, at, coverage } = fleet;
  const head = { apiVersion, coverage };
  const reports = reportsOf(fleet);
  switch (of) {
    case 'Orphans': {
      return { ...head, kind: of, items: reports.flatMap(itemsOf<OrphansReport>) };
    }
    case 'StuckDeletions': {
      return { ...head, kind: of, at, items: reports.flatMap(itemsOf<StuckDeletionsReport>) };
    }
    case 'Forecast': {
      const forecasts = reports as readonly InCluster<ForecastReport>[];
      const all = <T>(of: (report: ForecastReport) => readonly T[]) =>
        forecasts.flatMap(({ cluster, report }) => tagged(cluster, of(report)));
      return {
        ...head,
        kind: of,
        at,
        // RFC 3339 in one form: the order of the strings is that of the times.
        until: forecasts.reduce(
          (last, { report }) => (report.until > last ? report.until : last),
          at,
        ),
        collectors: [],
        items: all(({ items }) => items),
        undetermined: all(({ undetermined }) => undetermined),
        unknown: all(({ unknown }) => unknown),
        leftovers: all(({ leftovers }) => leftovers),
      };
    }
    case 'Audit': {
      const audits = fleet.clusters.map((answer) =>
        auditOf(answer, reports as readonly InCluster<AuditReport>[], at),
      );
      return { ...oneAudit(audits, at), ...head, verdict: verdictOf(fleet) };
    }
  }
}

interface InCluster<T> {
  readonly cluster: string;
  readonly report: T;
}

/** The documents of the clusters that were read, put together again. */
function reportsOf({ clusters, items }: FleetReport): InCluster<ClusterReport>[] {
  const byCluster = Map.groupBy(items, ({ cluster }) => cluster);
  return clusters.flatMap(({ context, report }) =>
    report
      ? [
          {
            cluster: context,
            report: { ...report, items: byCluster.get(context) ?? [] } as ClusterReport,
          },
        ]
      : [],
  );
}

function itemsOf<T extends ClusterReport>({ report }: InCluster<ClusterReport>): T['items'] {
  return report.items as T['items'];
}

function verdictOf({ clusters }: FleetReport): AuditVerdict {
  const codes = clusters.map(({ exitCode }) => exitCode);
  if (codes.includes(exitCodes.failed)) return 'incomplete';
  return codes.includes(exitCodes.findings) ? 'failed' : 'passed';
}

/** The audit of a cluster that was not read found nothing, and says why. */
function auditOf(
  answer: ClusterAnswer,
  audits: readonly InCluster<AuditReport>[],
  at: string,
): ClusterAudit {
  const { context } = answer;
  const found = audits.find(({ cluster }) => cluster === context)?.report;
  if (found) return { context, isRead: true, report: found };
  const coverage = { complete: false, kinds: 0, objects: 0, problems: notRead(answer) };
  const report = { ...oneAudit([], at), coverage, verdict: 'incomplete' as const };
  return { context, isRead: false, report };
}

function oneAudit(clusters: readonly ClusterAudit[], at: string): AuditReport {
  const audits = clusters.filter(({ isRead }) => isRead);
  const all = <T>(of: (report: AuditReport) => readonly T[]) =>
    audits.flatMap(({ context, report }) => tagged(context, of(report)));
  const [first] = audits;
  const rules = Map.groupBy(
    audits.flatMap(({ report }) => report.rules),
    ({ id }) => id,
  );
  const { configuration } = first?.report ?? {};
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Audit',
    coverage: { complete: true, kinds: 0, objects: 0, problems: [] },
    at,
    verdict: 'passed',
    failOn: first?.report.failOn ?? 'error',
    ...(configuration && { configuration }),
    summary: summed(audits.map(({ report }) => report.summary)),
    rules: [...rules.values()].flatMap(([rule, ...more]) =>
      rule ? [{ ...rule, findings: [rule, ...more].reduce((n, one) => n + one.findings, 0) }] : [],
    ),
    items: all(({ items }) => items),
    notChecked: all(({ notChecked }) => notChecked),
    unknown: all(({ unknown }) => unknown),
    staleBaseline: [],
    clusters,
  };
}

function summed(summaries: readonly AuditSummary[]): AuditSummary {
  const total = { error: 0, warning: 0, info: 0, baseline: 0, waived: 0 };
  for (const summary of summaries) {
    for (const key of Object.keys(total) as (keyof AuditSummary)[]) total[key] += summary[key];
  }
  return total;
}
