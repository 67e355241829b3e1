import type { Step } from '../../simulator/engine/timeline.ts';
import type { SimulationReport } from '../documents/simulation.ts';
import { stacked } from '../fit-text.ts';
import { type Paint, type RenderOptions, styleOf } from '../style.ts';
import { type Column, openTable, renderItems, renderTable } from './table.ts';
import { nameOf } from './words.ts';

/** A simulation as a timeline: what happens when, and below it what stays open. */
export function simulationTable(
  report: SimulationReport,
  options: RenderOptions,
  wide: boolean,
): string {
  const { replies, steps, stuck, undetermined, unknown, events } = report;
  const refused = replies.flatMap(({ code, reason, message = '' }, index) =>
    code < 400 ? [] : [[`request ${index + 1}`, `${code} ${reason}`, message]],
  );
  const warned = events.map(({ involvedObject, message, certain }) => [
    nameOf(involvedObject),
    certain ? 'yes' : 'maybe',
    message,
  ]);
  return stacked([
    renderTable(['REFUSED', 'REPLY', 'REASON'], refused, options),
    renderItems(steps, stepColumns(options, wide), options, wide),
    openTable('STUCK', stuck, options),
    openTable('UNDETERMINED', undetermined, options),
    openTable('UNKNOWN', unknown, options),
    renderTable(['WARNED', 'CERTAIN', 'REASON'], warned, options),
  ]);
}

export function stepColumns(options: RenderOptions, wide: boolean): Column<Step>[] {
  const style = styleOf(options);
  const paints: Partial<Record<Step['result'], Paint>> = {
    removed: style.red,
    terminating: style.yellow,
    refused: style.magenta,
  };
  return [
    ['AT', ({ at }) => elapsed(Date.parse(at) - options.now)],
    ['NAMESPACE', ({ object }) => object.namespace],
    ['OBJECT', ({ object }) => nameOf(object)],
    ['RESULT', ({ result }) => ({ text: stepWords[result], paint: paints[result] })],
    ['WHO', ({ actor }) => actor, 'wide'],
    ['DOES', ({ verb, policy }) => (policy === undefined ? verb : `${verb} (${policy})`), 'wide'],
    ['UID', ({ object }) => object.uid, 'wide'],
    ['RULE', ({ rule }) => rule, 'wide'],
    [
      'REASON',
      ({ actor, because }) => (wide ? because : `${actor.replace(/-controller$/, '')}: ${because}`),
    ],
  ];
}

/** Nothing was done: these are the results of requests that were played. */
export const stepWords: Readonly<Record<Step['result'], string>> = {
  removed: 'would be gone',
  terminating: 'would terminate',
  changed: 'would change',
  created: 'would be made',
  unchanged: 'would stay',
  refused: 'refused',
};

/** `8ms`, `5.013s`, `1m30.013s`, counted from the beginning. */
export function elapsed(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = `${(milliseconds % 60_000) / 1000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}
