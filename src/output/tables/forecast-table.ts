import type { ObjectReference } from '../../kube/object-reference.ts';
import { humanDuration } from '../../kube/time.ts';
import type { ForecastReport } from '../documents/forecast.ts';
import type { ForecastItem } from '../documents/forecast-items.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import { type Cell, type Column, renderItems, renderTable } from './table.ts';

/** What happens, in the order of time; then what is unknown, and what no controller deletes. */
export function forecastTable(
  report: ForecastReport,
  options: RenderOptions,
  wide: boolean,
): string {
  const { items, undetermined, unknown, leftovers } = report;
  const style = styleOf(options);
  const isChained = items.some(({ follows }) => follows !== undefined);
  const before = new Map(items.map((item) => [item.object.uid, item.follows]));
  const now = Date.parse(report.at);
  const columns: Column<ForecastItem>[] = [
    ['WHEN', (item) => ({ text: whenOf(item, now), paint: paintOf(style, item.confidence) })],
    ['COLLECTOR', ({ collector }) => collector],
    ['DOES', ({ action }) => ({ text: action, paint: paintOf(style, action) })],
    ['NAMESPACE', ({ object }) => object.namespace],
    ['OBJECT', ({ object }) => nameOf(object)],
  ];
  if (isChained) columns.push(['AFTER', (item) => chainOf(item, before)]);
  if (wide) {
    columns.push(
      ['NOT BEFORE', ({ notBefore }) => notBefore],
      ['NOT AFTER', ({ notAfter }) => notAfter ?? ''],
      ['GONE', ({ gone }) => gone?.notAfter ?? ''],
      ['UID', ({ object }) => object.uid],
      ['RULE', ({ rule }) => rule],
    );
  }
  columns.push(['REASON', becauseOf]);
  const open = [...undetermined, ...unknown];
  const tables = [
    renderItems(items, columns, options),
    renderTable(['NAMESPACE', 'UNKNOWN', 'REASON'], open.map(rowOf), options),
    renderTable(['NAMESPACE', 'NOT COLLECTED', 'REASON'], leftovers.map(rowOf), options),
  ];
  return tables.filter((table) => table !== '').join('\n');
}

function rowOf(entry: { readonly object: ObjectReference; readonly because: string }): Cell[] {
  const { object, because } = entry;
  return [object.namespace, nameOf(object), because];
}

function nameOf({ kind, name }: ObjectReference): string {
  return `${kind}/${name}`;
}

/** `CronJob/backup > Job/backup-1`: what went first, then what followed from it. */
function chainOf(
  { object, follows }: ForecastItem,
  before: ReadonlyMap<string, ObjectReference | undefined>,
): string {
  const chain: string[] = [];
  const seen = new Set([object.uid]);
  for (let at = follows; at && !seen.has(at.uid); at = before.get(at.uid)) {
    seen.add(at.uid);
    chain.unshift(nameOf(at));
  }
  return chain.length > 3 ? `${chain[0]} > … > ${chain.slice(-2).join(' > ')}` : chain.join(' > ');
}

/** Pod GC's own reason says which finalizers keep a pod (PG-8). */
function becauseOf({ collector, because, held, finalizers }: ForecastItem): string {
  const isTold = collector === 'pod-garbage-collector' && finalizers.length > 0;
  return held === undefined || isTold ? because : `${because}; it stays: ${held}`;
}

function whenOf({ notBefore, notAfter, confidence }: ForecastItem, now: number): string {
  const from = secondsUntil(notBefore, now);
  const start = from === 0 ? 'from now on' : `from ${humanDuration(from)} on`;
  if (confidence === 'unknown') return `perhaps, ${start}`;
  if (notAfter === undefined) return start;
  const to = secondsUntil(notAfter, now);
  if (from === 0) return to === 0 ? 'now' : `within ${humanDuration(to)}`;
  // What follows at once differs by less than a second.
  if (to - from <= 1) return `in ${humanDuration(from)}`;
  return `in ${humanDuration(from)} to ${humanDuration(to)}`;
}

function secondsUntil(time: string, now: number): number {
  return Math.max(0, Math.ceil((Date.parse(time) - now) / 1000));
}
