import type { ObjectReference } from '../../kube/object-reference.ts';
import type { Step } from '../../simulator/engine/timeline.ts';
import type { SimulationReport } from '../documents/simulation.ts';
import { type RenderOptions, styleOf } from '../style.ts';
import { type Cell, renderTable } from './table.ts';

/** A simulation as a timeline: what happens when, and below it what stays open. */
export function simulationTable(
  report: SimulationReport,
  options: RenderOptions,
  wide: boolean,
): string {
  const parts = [timeline(report, options, wide)];
  const { replies, stuck, undetermined, unknown, events } = report;
  const refused = replies.flatMap(({ code, reason, message = '' }, index) =>
    code < 400 ? [] : [row(`request ${index + 1}`, `${code} ${reason}`, message)],
  );
  parts.push(section(['REFUSED', 'REPLY', 'BECAUSE'], refused, options));
  parts.push(section(['STUCK', 'NAMESPACE', 'BECAUSE'], stuck.map(objectRow), options));
  parts.push(
    section(['UNDETERMINED', 'NAMESPACE', 'BECAUSE'], undetermined.map(objectRow), options),
  );
  parts.push(section(['UNKNOWN', 'NAMESPACE', 'BECAUSE'], unknown.map(objectRow), options));
  const warnings = events.map(({ involvedObject, message, certain }) =>
    row(nameOf(involvedObject), certain ? 'yes' : 'maybe', message),
  );
  parts.push(section(['WARNED', 'CERTAIN', 'MESSAGE'], warnings, options));
  return parts.filter((part) => part !== '').join('\n');
}

function timeline(report: SimulationReport, options: RenderOptions, wide: boolean): string {
  const headers = ['AT', 'WHO', 'DOES', 'NAMESPACE', 'OBJECT', 'RESULT'];
  if (wide) headers.push('UID');
  headers.push('RULE', 'BECAUSE');
  const style = styleOf(options);
  const paints: Partial<Record<Step['result'], (text: string) => string>> = {
    removed: style.red,
    terminating: style.yellow,
    refused: style.magenta,
  };
  const rows = report.steps.map((step): Cell[] => [
    { text: elapsed(Date.parse(step.at) - options.now) },
    { text: step.actor.replace(/-controller$/, '') },
    { text: step.policy === undefined ? step.verb : `${step.verb} (${step.policy})` },
    { text: step.object.namespace },
    { text: nameOf(step.object) },
    { text: step.result, paint: paints[step.result] },
    ...(wide ? [{ text: step.object.uid }] : []),
    { text: step.rule },
    { text: step.because },
  ]);
  return rows.length === 0 ? '' : renderTable(headers, rows, options);
}

function section(
  headers: readonly string[],
  rows: readonly (readonly Cell[])[],
  options: RenderOptions,
): string {
  return rows.length === 0 ? '' : renderTable(headers, rows, options);
}

function row(...texts: readonly string[]): Cell[] {
  return texts.map((text) => ({ text }));
}

function objectRow(entry: { readonly object: ObjectReference; readonly because: string }): Cell[] {
  return row(nameOf(entry.object), entry.object.namespace, entry.because);
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
