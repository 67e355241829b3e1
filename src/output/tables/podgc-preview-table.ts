import { humanDuration } from '../../kube/time.ts';
import type { PodGcItem, PodGcPreview } from '../documents/podgc-preview.ts';
import { paintOf, type RenderOptions, styleOf } from '../style.ts';
import { type Cell, renderTable } from './table.ts';

/** What is deleted, then what is left alone, then what a threshold of one's own would delete. */
export function podGcPreviewTable(
  report: PodGcPreview,
  options: RenderOptions,
  wide: boolean,
): string {
  const tables = [
    itemsTable(report, options, wide),
    waitingTable(report, options),
    ownTable(report, options),
  ];
  return tables.filter((table) => table !== '').join('\n');
}

function itemsTable({ items }: PodGcPreview, options: RenderOptions, wide: boolean): string {
  const style = styleOf(options);
  const headers = ['ORDER', 'STEP', 'NAMESPACE', 'POD', 'PHASE', 'WHEN'];
  if (wide) headers.push('NODE', 'UID', 'RULE');
  headers.push('BECAUSE');
  const rows = items.map((item): Cell[] => [
    { text: `${item.order}` },
    { text: item.step },
    { text: item.object.namespace },
    { text: item.object.name },
    { text: phaseOf(item) },
    { text: whenOf(item, options.now), paint: paintOf(style, item.confidence) },
    ...(wide ? [{ text: item.node }, { text: item.object.uid }, { text: item.rule }] : []),
    { text: item.because },
  ]);
  return renderTable(headers, rows, options);
}

/** A pod that has not ended is marked Failed first. */
function phaseOf({ phase, patch }: PodGcItem): string {
  return patch ? `${phase || 'none'} → Failed` : phase;
}

function whenOf({ notBefore, notAfter, confidence }: PodGcItem, now: number): string {
  const from = secondsUntil(notBefore, now);
  if (notAfter === undefined || confidence === 'unknown') return `perhaps, from ${from}s on`;
  const to = secondsUntil(notAfter, now);
  if (from === to) return `in ${humanDuration(to)}`;
  return from === 0 ? `within ${humanDuration(to)}` : `in ${from}s to ${to}s`;
}

function secondsUntil(time: string, now: number): number {
  return Math.max(0, Math.ceil((Date.parse(time) - now) / 1000));
}

function waitingTable({ waiting }: PodGcPreview, options: RenderOptions): string {
  const rows = waiting.map(({ object, phase, because }) => [
    { text: object.namespace },
    { text: object.name },
    { text: phase },
    { text: because },
  ]);
  return renderTable(['NAMESPACE', 'LEFT ALONE', 'PHASE', 'BECAUSE'], rows, options);
}

function ownTable({ ownThreshold }: PodGcPreview, options: RenderOptions): string {
  const rows = (ownThreshold?.items ?? []).map(({ object, phase, because }) => [
    { text: object.namespace },
    { text: object.name },
    { text: phase },
    { text: because },
  ]);
  return renderTable(['NAMESPACE', 'ABOVE YOUR THRESHOLD', 'PHASE', 'BECAUSE'], rows, options);
}
