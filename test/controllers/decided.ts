import { viewOf } from '../../src/controllers/cluster-view.ts';
import type { Controller, ControllerMemory, Decision } from '../../src/controllers/controller.ts';
import { decideAll } from '../../src/controllers/decision.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../../src/settings/controller-settings.ts';
import { type SnapshotOptions, snapshotOf } from '../support/builders.ts';

export const now = Date.parse('2026-01-31T12:00:00Z');
const second = 1000;
const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** RFC 3339, so long before `now`: `ago(2 * hour)`. */
export function ago(milliseconds: number): string {
  return `${new Date(now - milliseconds).toISOString().slice(0, 19)}Z`;
}

export interface DecideOptions extends SnapshotOptions {
  readonly settings?: Partial<ControllerSettings>;
  readonly memory?: ControllerMemory;
}

export function decide(
  collector: Controller,
  records: readonly ObjectRecord[],
  { settings, memory, ...options }: DecideOptions = {},
): readonly Decision[] {
  const all = { ...defaultControllerSettings, ...settings };
  return decideAll(collector, viewOf(snapshotOf(records, options)), all, now, memory);
}

/** Names, in the collector's order. */
export function decided(...args: Parameters<typeof decide>): string[] {
  return decide(...args).map(({ object }) => object.name);
}

/** `Pod a: deleted (JOB-2)`; where that is open, `Pod a: may be deleted (JOB-1)`. In the collector's order. */
export function inWords(decisions: readonly Decision[]): string[] {
  return decisions.map(({ object, action, confidence, rule }) => {
    const end = action === 'patch' ? 'patched' : 'deleted';
    const open = confidence === 'certain' ? '' : 'may be ';
    return `${object.type.kind} ${object.name}: ${open}${end} (${rule})`;
  });
}

/** Name, and from when to when, in seconds from `now`. */
export function timed(...args: Parameters<typeof decide>) {
  return decide(...args).map(({ object, notBefore, notAfter }) => [
    object.name,
    seconds(notBefore),
    notAfter === undefined ? undefined : seconds(notAfter),
  ]);
}

function seconds(time: number): number {
  return Math.floor((time - now) / second);
}
