import { type ExitCode, exitCodes } from '../../errors.ts';
import type { LeftAlone } from '../../plan/plan.ts';
import type { ProgressEvent } from '../../plan/progress-event.ts';
import { progressLine } from '../../reporters/progress-line.ts';
import type { Account } from '../delete/account.ts';
import { writeErr } from '../streams.ts';
import type { Work } from './work.ts';

const shown = 20;

/** Says on stderr what was not done and why, and how it ended; answers the exit code. */
export function reportRun(
  account: Account,
  { refused, isRehearsal }: { readonly refused: number; readonly isRehearsal: boolean },
): ExitCode {
  const { plan, done, accepted } = account;
  reportLeftAlone(plan.leftAlone ?? []);
  const skipped = account.skipped.filter(({ reason }) => reason !== 'not-sent');
  tell([...skipped, ...account.refused]);
  for (const line of account.lines()) writeErr(line);
  if (!account.isEventful && done === undefined) writeErr('It ended early.');
  if (isRehearsal) writeErr('Nothing was changed (--dry-run=server).');
  if (done?.ended === 'interrupted') return exitCodes.interrupted;
  // What is gone or was replaced has nothing left to do.
  const notDone = skipped.filter(({ reason }) => reason === 'changed' || reason === 'node').length;
  const left = account.left.length + account.unsent.length + account.refused.length;
  if (left + notDone + refused === 0) return exitCodes.ok;
  return accepted.size > 0 && !isRehearsal ? exitCodes.incomplete : exitCodes.failed;
}

/** Where nothing was sent, as nothing is due that the server would take. */
export function reportNothing({ leftAlone, problems }: Work, refused: number): void {
  for (const { message } of problems.slice(0, shown)) writeErr(`Warning: ${message}`);
  reportLeftAlone(leftAlone);
  const where = problems.length > 0 ? ' in what could be read' : '';
  writeErr(refused > 0 ? 'Nothing was sent: nothing else is due.' : `Nothing is due now${where}.`);
}

function reportLeftAlone(leftAlone: readonly LeftAlone[]): void {
  tell(leftAlone.map((one) => ({ at: '', type: 'left-alone', ...one })));
}

function tell(events: readonly ProgressEvent[]): void {
  for (const event of events.slice(0, shown)) {
    const line = progressLine(event);
    if (line !== undefined) writeErr(line);
  }
  if (events.length > shown) writeErr(`… and ${events.length - shown} more`);
}
