import { humanDuration } from '../kube/age.ts';
import type { ForecastItem, ForecastReport } from '../reports/forecast.ts';
import { paintOf, type RenderOptions, styleOf } from './style.ts';
import { type Cell, renderTable } from './table.ts';

/** What happens, in the order of time, then what nobody collects. */
export function forecastTable(
  report: ForecastReport,
  options: RenderOptions,
  wide: boolean,
): string {
  const style = styleOf(options);
  const headers = ['WHEN', 'COLLECTOR', 'DOES', 'NAMESPACE', 'OBJECT'];
  if (wide) headers.push('NOT BEFORE', 'NOT AFTER', 'UID', 'RULE');
  headers.push('BECAUSE');
  const now = Date.parse(report.at);
  const rows = report.items.map((item): Cell[] => [
    { text: whenOf(item, now), paint: paintOf(style, item.confidence) },
    { text: item.collector },
    { text: item.action, paint: paintOf(style, item.action) },
    { text: item.object.namespace },
    { text: `${item.object.kind}/${item.object.name}` },
    ...(wide
      ? [
          { text: item.notBefore },
          { text: item.notAfter ?? '' },
          { text: item.object.uid },
          { text: item.rule },
        ]
      : []),
    { text: item.because },
  ]);
  const left = report.leftovers.map(({ object, because }): Cell[] => [
    { text: object.namespace },
    { text: `${object.kind}/${object.name}` },
    { text: because },
  ]);
  const tables = [
    renderTable(headers, rows, options),
    renderTable(['NAMESPACE', 'NOBODY COLLECTS', 'BECAUSE'], left, options),
  ];
  return tables.filter((table) => table !== '').join('\n');
}

function whenOf({ notBefore, notAfter, confidence }: ForecastItem, now: number): string {
  const from = secondsUntil(notBefore, now);
  const start = from === 0 ? 'from now on' : `from ${humanDuration(from)} on`;
  if (confidence === 'unknown') return `perhaps, ${start}`;
  if (notAfter === undefined) return start;
  const to = secondsUntil(notAfter, now);
  if (from === to) return to === 0 ? 'now' : `in ${humanDuration(to)}`;
  return from === 0
    ? `within ${humanDuration(to)}`
    : `in ${humanDuration(from)} to ${humanDuration(to)}`;
}

function secondsUntil(time: string, now: number): number {
  return Math.max(0, Math.ceil((Date.parse(time) - now) / 1000));
}
