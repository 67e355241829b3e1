import { usageError } from '../../errors.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';

type NowFlag = Pick<CommonFlags, 'now'>;
/** What was read at a moment. */
type Observed = Pick<Snapshot, 'observedAt'>;

/** What `--now` says; undefined when it was not given. */
export function givenTime({ now }: NowFlag): Date | undefined {
  return now === undefined ? undefined : parseTime(now, '--now');
}

/** A time as RFC 3339 has it. */
export function parseTime(text: string, flag: string): Date {
  const time = new Date(text);
  if (zonedTime.test(text) && !Number.isNaN(time.getTime())) return time;
  throw usageError(`${flag} "${text}" is not a time`, [
    'Write it as RFC 3339: 2026-01-31T12:00:00Z.',
  ]);
}

/** The time to count from, in epoch milliseconds: what `--now` says, else when the snapshot was taken. */
export function nowOf(flags: NowFlag, { observedAt }: Observed): number {
  return givenTime(flags)?.getTime() ?? Date.parse(observedAt);
}

/**
 * What to say where `--now` is before the cluster was read. Plain files have no time of their own: they are
 * as old as the clock says.
 */
export function remarksOnClock(flags: NowFlag, { observedAt }: Observed): string[] {
  const now = givenTime(flags);
  if (!now || now.getTime() >= Date.parse(observedAt)) return [];
  return ['--now is before the cluster was read: what happened since then still counts.'];
}

/** A time without its zone would depend on the machine. */
const zonedTime = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
