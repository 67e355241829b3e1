import { printable } from './printable.ts';

/** One metric with its series, as Prometheus' text format and OpenMetrics have them. */
export interface Metric {
  /** With its unit at the end; a counter's ends with `_total`. */
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  /** Of a histogram: its buckets, the last of which has all. */
  readonly samples: readonly Sample[];
  /** Of a histogram: the sum of all values. */
  readonly sum?: number;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Written without a library, because the format is these few lines: prom-client would bring its own registry and two packages.
 * Prometheus' text format 0.0.4: what a textfile collector, a Pushgateway and a scrape take.
 */
export function prometheusText(metrics: readonly Metric[]): string {
  return metrics.map(metricText).join('');
}

function metricText({ name, type, help, samples, sum }: Metric): string {
  const series = sum === undefined ? name : `${name}_bucket`;
  const lines = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
    return `${series}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  const totals =
    sum === undefined ? '' : `${name}_sum ${sum}\n${name}_count ${samples.at(-1)?.value ?? 0}\n`;
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}${totals}`;
}

/** The three that both formats escape; `printable` has replaced newlines already, as it has all control characters. */
function escaped(text: string): string {
  return printable(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}

/** Makes gauges whose names begin alike; a number is a gauge without labels. */
export function gaugesOf(prefix: string) {
  return (name: string, help: string, value: readonly Sample[] | number): Metric => ({
    name: `${prefix}_${name}`,
    type: 'gauge',
    help,
    samples: typeof value === 'number' ? [{ labels: {}, value }] : value,
  });
}

/** More series than this of one metric would cost a Prometheus more than they show. */
export const mostSeries = 1000;

/**
 * How many entries share their labels, the most first. Where there are too many places, those with the fewest
 * are counted together, under `*` for namespace and kind, so that the sum stays right.
 */
export function countedByPlace<T extends string>(
  entries: readonly Readonly<Record<T, string>>[],
): Sample[] {
  const counted = (all: readonly Readonly<Record<string, string>>[]): Sample[] =>
    [...Map.groupBy(all, (labels) => JSON.stringify(labels)).values()]
      .flatMap((same) => (same[0] ? [{ labels: same[0], value: same.length }] : []))
      .sort((a, b) => b.value - a.value || (labelsKey(a) < labelsKey(b) ? -1 : 1));
  const series = counted(entries);
  const rest = series.slice(mostSeries).flatMap(({ labels, value }) => {
    const everywhere = Object.entries(labels).map(([key, text]) =>
      key === 'namespace' || key === 'kind' ? [key, '*'] : [key, text],
    );
    return Array.from({ length: value }, () => Object.fromEntries(everywhere));
  });
  return [...series.slice(0, mostSeries), ...counted(rest)];
}

function labelsKey({ labels }: Sample): string {
  return JSON.stringify(labels);
}
