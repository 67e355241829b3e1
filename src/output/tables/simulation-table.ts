import type { ObjectReference } from '../../kube/object-reference.ts';
import type { Step } from '../../simulator/engine/timeline.ts';
import type { SimulationReport } from '../documents/simulation.ts';
import { type Paint, type RenderOptions, styleOf } from '../style.ts';
import { type Cell, type Column, renderItems, renderTable } from './table.ts';

/** A simulation as a timeline: what happens when, and below it what stays open. */
export function simulationTable(
  report: SimulationReport,
  options: RenderOptions,
  wide: boolean,
): string {
  const { replies, stuck, undetermined, unknown, events } = report;
  const refused = replies.flatMap(({ code, reason, message = '' }, index) =>
    code < 400 ? [] : [[`request ${index + 1}`, `${code} ${reason}`, message]],
  );
  const warned = events.map(({ involvedObject, message, certain }) => [
    nameOf(involvedObject),
    certain ? 'yes' : 'maybe',
    message,
  ]);
  const parts = [
    timeline(report, options, wide),
    renderTable(['REFUSED', 'REPLY', 'REASON'], refused, options),
    renderTable(['STUCK', 'NAMESPACE', 'REASON'], stuck.map(rowOf), options),
    renderTable(['UNDETERMINED', 'NAMESPACE', 'REASON'], undetermined.map(rowOf), options),
    renderTable(['UNKNOWN', 'NAMESPACE', 'REASON'], unknown.map(rowOf), options),
    renderTable(['WARNED', 'CERTAIN', 'REASON'], warned, options),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function timeline(report: SimulationReport, options: RenderOptions, wide: boolean): string {
  const style = styleOf(options);
  const paints: Partial<Record<Step['result'], Paint>> = {
    removed: style.red,
    terminating: style.yellow,
    refused: style.magenta,
  };
  const columns: Column<Step>[] = [
    ['AT', ({ at }) => elapsed(Date.parse(at) - options.now)],
    ['WHO', ({ actor }) => actor.replace(/-controller$/, '')],
    ['DOES', ({ verb, policy }) => (policy === undefined ? verb : `${verb} (${policy})`)],
    ['NAMESPACE', ({ object }) => object.namespace],
    ['OBJECT', ({ object }) => nameOf(object)],
    ['RESULT', ({ result }) => ({ text: result, paint: paints[result] })],
  ];
  if (wide) columns.push(['UID', ({ object }) => object.uid]);
  columns.push(['RULE', ({ rule }) => rule], ['REASON', ({ because }) => because]);
  return renderItems(report.steps, columns, options);
}

function rowOf(entry: { readonly object: ObjectReference; readonly because: string }): Cell[] {
  return [nameOf(entry.object), entry.object.namespace, entry.because];
}

function nameOf({ kind, name }: ObjectReference): string {
  return `${kind}/${name}`;
}

/** `8ms`, `5.013s`, `1m30.013s`, counted from the beginning. */
function elapsed(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = `${(milliseconds % 60_000) / 1000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}
