import type { ForecastItem, ForecastReport } from '../../output/documents/forecast.ts';
import {
  countedByPlace,
  gaugesOf,
  type Metric,
  mostSeries,
  type Sample,
} from '../../output/prometheus-text.ts';

const gauge = gaugesOf('kubectl_gc_forecast');

/** What a forecast comes to. A controller that will delete nothing has a zero without a namespace. */
export function forecastMetrics(report: ForecastReport): Metric[] {
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
    gauge(
      'deletions',
      'Objects that will be deleted within the horizon, by collector, namespace and how sure that is.',
      [...countedByPlace(places), ...idle],
    ),
    gauge(
      'next_deletion_timestamp_seconds',
      'The earliest time at which a collector deletes an object of a namespace.',
      nextOf(deletions),
    ),
    gauge(
      'leftover_objects',
      'Objects that no collector ever deletes, although what they belong to is gone.',
      countedByPlace(left),
    ),
    gauge(
      'undecided_objects',
      'Objects whose end depends on an uncontrolled order of events, or on what was not read.',
      [
        { labels: { reason: 'order' }, value: undetermined.length },
        { labels: { reason: 'unread' }, value: unknown.length },
      ],
    ),
    gauge(
      'collector_enabled',
      '1 if the controller is switched on.',
      collectorsHave(({ enabled }) => Number(enabled)),
    ),
    gauge(
      'collector_unread_kinds',
      'Kinds that a collector decides by and that were not read in full.',
      collectorsHave(({ unread, withoutFacts }) => new Set([...unread, ...withoutFacts]).size),
    ),
    gauge(
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
