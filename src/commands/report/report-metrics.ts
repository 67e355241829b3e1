import { auditMetrics } from '../../output/audit-formats/prometheus.ts';
import type { AuditReport } from '../../output/documents/audit.ts';
import type { ForecastReport } from '../../output/documents/forecast.ts';
import { gaugesOf, type Metric } from '../../output/prometheus-text.ts';
import type { CoverageProblem, ProblemReason } from '../../snapshot/coverage.ts';
import { forecastMetrics } from './forecast-metrics.ts';

/** What one look at a cluster brought, and what it took. */
export interface Reported {
  readonly audit: AuditReport;
  readonly forecast: ForecastReport;
  readonly version: string;
  /** Epoch milliseconds: when it was done. */
  readonly ended: number;
  /** Milliseconds. */
  readonly took: number;
}

const gauge = gaugesOf('kubectl_gc_report');

/** All that `report` publishes as metrics. */
export function reportMetrics(reported: Reported): Metric[] {
  const { audit, forecast, version, ended, took } = reported;
  const problems = problemsOf(reported);
  return [
    gauge(
      'last_success_timestamp_seconds',
      'When the cluster was last read and judged to the end.',
      ended / 1000,
    ),
    gauge('duration_seconds', 'How long that took.', took / 1000),
    gauge('objects', 'Objects that were read.', audit.coverage.objects),
    gauge('kinds', 'Kinds that were read in full.', audit.coverage.kinds),
    gauge(
      'complete',
      '1 if everything could be read and judged; 0: what is not counted may be there all the same.',
      Number(isComplete(reported)),
    ),
    gauge(
      'unread_kinds',
      'Kinds that could not be read, or not in full, by the reason.',
      [...new Set([...reasons, ...problems.map(({ reason }) => reason)])].map((reason) => ({
        labels: { reason },
        value: unreadKinds(problems, reason),
      })),
    ),
    {
      name: 'kubectl_gc_build_info',
      type: 'gauge',
      help: 'The version of kubectl gc, as a label.',
      samples: [{ labels: { version }, value: 1 }],
    },
    ...auditMetrics(audit),
    ...forecastMetrics(forecast),
  ];
}

/** What the audit and the forecast could not read, each once. */
export function problemsOf({ audit, forecast }: Pick<Reported, 'audit' | 'forecast'>) {
  const all = [...audit.coverage.problems, ...forecast.coverage.problems];
  return [...new Map(all.map((problem) => [problem.message, problem])).values()];
}

/** Could everything be read and judged, also where --allow-incomplete accepts that it could not? */
export function isComplete({ audit, forecast }: Pick<Reported, 'audit' | 'forecast'>): boolean {
  const { unknown, notChecked } = audit;
  const isJudged = unknown.length === 0 && notChecked.every(({ optional }) => optional);
  return isJudged && problemsOf({ audit, forecast }).length === 0;
}

/** Those of a cluster have a series also when it is zero. */
const reasons: readonly ProblemReason[] = [
  'forbidden',
  'unavailable',
  'discovery-failed',
  'timed-out',
  'unreadable',
  'truncated',
  'not-in-input',
];

function unreadKinds(problems: readonly CoverageProblem[], reason: ProblemReason): number {
  const kinds = problems
    .filter((problem) => problem.reason === reason)
    .map(({ resource, apiVersion, message }) => resource ?? apiVersion ?? message);
  return new Set(kinds).size;
}
