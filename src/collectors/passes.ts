import type { CollectorId } from './collector-ids.ts';
import type { CollectorMemory } from './collector-memory.ts';
import type { TimeRange } from './decide.ts';

export interface Period {
  readonly period: number;
  /** From the controllers' start to the first pass that sees anything. */
  readonly afterStart: number;
}

/** The first pass at or after `due`, of a collector that makes one every `period`; all in milliseconds. */
export function passesFrom(
  id: CollectorId,
  { period, afterStart }: Period,
  due: number,
  now: number,
  memory: CollectorMemory | undefined,
): TimeRange {
  const from = Math.max(now, due);
  const last = memory?.lastPasses?.get(id);
  const known =
    last !== undefined
      ? last + period
      : memory?.startedAt !== undefined
        ? memory.startedAt + afterStart
        : undefined;
  if (known === undefined)
    return { notBefore: from, notAfter: from + Math.max(period, afterStart) };
  const missed = Math.max(0, Math.ceil((from - known) / period));
  const pass = known + missed * period;
  // A pass waits its period after the one before it has ended, so that they drift.
  return { notBefore: Math.max(from, pass), notAfter: pass + Math.min(period, 60_000) };
}
