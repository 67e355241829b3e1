import {
  countedByPlace,
  gaugesOf,
  type Metric,
  mostSeries,
  type Sample,
} from '../../output/prometheus-text.ts';
import type { AuditReport } from '../../questions/audit/document.ts';
import { auditMetrics } from '../../questions/audit/formats/prometheus.ts';
import type { ForecastItem, ForecastReport } from '../../questions/forecast/document.ts';
import type { CoverageProblem, ProblemReason } from '../../snapshot/coverage.ts';

/** What one look at a cluster brought, and what it took. */
export interface Reported {
  readonly audit: AuditReport;
  readonly forecast: ForecastReport;
  readonly version: string;
  /** Epoch milliseconds: when it was done. */
  readonly ended: number;
  /** Milliseconds. */
  readonly took: number;
  /** What the garbage collector should have deleted or changed, where it was observed. */
  readonly overdue?: OverdueGarbage | undefined;
}

export interface OverdueGarbage {
  readonly objects: number;
  /** For how long the oldest has been overdue at least, in seconds. */
  readonly oldest: number;
}

const collectorGauge = gaugesOf('kubectl_gc');

function overdueMetrics(overdue: OverdueGarbage | undefined): Metric[] {
  if (!overdue) return [];
  return [
    collectorGauge(
      'overdue_objects',
      'Objects that the garbage collector should have deleted or changed, and that were still there when they were read again.',
      overdue.objects,
    ),
    collectorGauge(
      'oldest_overdue_seconds',
      'For how long the oldest of them has been overdue at least: since this process first read it as garbage.',
      overdue.oldest,
    ),
  ];
}

const reportGauge = gaugesOf('kubectl_gc_report');

export function reportMetrics(reported: Reported): Metric[] {
  const { audit, forecast, version, ended, took, overdue } = reported;
  const problems = problemsOf(reported);
  return [
    reportGauge(
      'last_success_timestamp_seconds',
      'When the cluster was last read and judged to the end.',
      ended / 1000,
    ),
    reportGauge('duration_seconds', 'How long that took.', took / 1000),
    reportGauge('objects', 'Objects that were read.', audit.coverage.objects),
    reportGauge('kinds', 'Kinds that were read in full.', audit.coverage.kinds),
    reportGauge(
      'complete',
      '1 if everything could be read and judged; 0: what is not counted may be there all the same.',
      Number(isComplete(reported)),
    ),
    reportGauge(
      'unread_kinds',
      'Kinds that could not be read, or not in full, by the reason.',
      [...new Set([...countedReasons, ...problems.map(({ reason }) => reason)])].map((reason) => ({
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
    ...overdueMetrics(overdue),
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
const countedReasons: readonly ProblemReason[] = [
  'forbidden',
  'unavailable',
  'unlistable',
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

const forecastGauge = gaugesOf('kubectl_gc_forecast');

/** What a forecast comes to. A controller that will delete nothing has a zero without a namespace. */
function forecastMetrics(report: ForecastReport): Metric[] {
  const { at, until, collectors, items, undetermined, unknown, leftovers } = report;
  const deletions = items.filter(({ action }) => action === 'delete');
  const acting = new Set(deletions.map(({ collector }) => collector));
  const idle = collectors
    .filter(({ id, simulated }) => simulated && !acting.has(id))
    .map(({ id }) => ({
      labels: { collector: id, namespace: '', confidence: 'certain' },
      value: 0,
    }));
  const places = deletions.map(({ collector, object: { namespace }, confidence }) => ({
    ...{ collector, namespace, confidence },
  }));
  const left = leftovers.map(({ collector, object: { namespace } }) => ({ collector, namespace }));
  const collectorsHave = (value: (one: ForecastReport['collectors'][number]) => number) =>
    collectors.map((one) => ({ labels: { collector: one.id }, value: value(one) }));
  return [
    forecastGauge(
      'deletions',
      'Objects that will be deleted within the horizon, by collector, namespace and how sure that is.',
      [...countedByPlace(places), ...idle],
    ),
    forecastGauge(
      'next_deletion_timestamp_seconds',
      'The earliest time at which a collector deletes an object of a namespace.',
      nextOf(deletions),
    ),
    forecastGauge(
      'leftover_objects',
      'Objects that no collector ever deletes, although their owner was deleted.',
      countedByPlace(left),
    ),
    forecastGauge(
      'undecided_objects',
      'Objects whose end depends on an uncontrolled order of events, or on what was not read.',
      [
        { labels: { reason: 'order' }, value: undetermined.length },
        { labels: { reason: 'unread' }, value: unknown.length },
      ],
    ),
    forecastGauge(
      'collector_enabled',
      '1 if the controller is switched on.',
      collectorsHave(({ enabled }) => Number(enabled)),
    ),
    forecastGauge(
      'collector_unread_kinds',
      'Kinds that a collector decides by and that were not read in full.',
      collectorsHave(({ unread, withoutFacts }) => new Set([...unread, ...withoutFacts]).size),
    ),
    forecastGauge(
      'horizon_seconds',
      'How far ahead the forecast looks.',
      (Date.parse(until) - Date.parse(at)) / 1000,
    ),
  ];
}

/** The series with the earliest times, of as many places as deletions are counted for. */
function nextOf(deletions: readonly ForecastItem[]): Sample[] {
  const first = new Map<string, Sample>();
  for (const { collector, object, notBefore } of deletions) {
    const key = `${collector} ${object.namespace}`;
    const value = Date.parse(notBefore) / 1000;
    if ((first.get(key)?.value ?? Infinity) <= value) continue;
    first.set(key, { labels: { collector, namespace: object.namespace }, value });
  }
  return [...first.values()].sort((a, b) => a.value - b.value).slice(0, mostSeries);
}
