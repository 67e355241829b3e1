import { type Interruption, interrupted, orInterrupted } from '../../perform/interrupted.ts';
import { confirm, refuseUnaskedFix } from '../terminal/confirm.ts';
import { writeErr } from '../terminal/streams.ts';
import type { FixBackup } from './fix-backup.ts';

/** The flags of `--fix`. */
export interface FixOptions {
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly interruption: Interruption;
}

/** What the server said to one step. */
export interface Answer<Step> {
  readonly step: Step;
  readonly isTaken: boolean;
  readonly line: string;
}

/** How steps are sent, or rehearsed on the server, and the words around that. */
interface Fixes<Step> {
  readonly send: (
    steps: readonly Step[],
    sending: { readonly dryRun: boolean },
  ) => AsyncIterable<Answer<Step>>;
  readonly backup: FixBackup<Step>;
  readonly question: (count: number) => string;
  readonly declined: string;
}

/**
 * Rehearses every step on the server, shows what changes and asks, keeps how it was, then sends once those
 * that the server would take.
 * Answers how many were sent and taken, and how many were refused at one time or the other.
 */
export async function sendFixes<Step>(
  steps: readonly Step[],
  { yes, dryRun, interruption }: FixOptions,
  { send, backup, question, declined }: Fixes<Step>,
): Promise<{ readonly sent: number; readonly refused: number }> {
  if (!dryRun) refuseUnaskedFix(yes);
  const rehearsed: Step[] = [];
  const rehearsing = take(send(steps, { dryRun: true }), interruption, rehearsed);
  const unchanged = 'Nothing was changed.';
  await orInterrupted(rehearsing, interruption, unchanged);
  if (dryRun || !yes) await orInterrupted(backup.show(rehearsed), interruption, unchanged);
  const refused = steps.length - rehearsed.length;
  if (dryRun) writeErr('Nothing was changed (--dry-run).');
  if (dryRun || rehearsed.length === 0) return { sent: 0, refused };
  if (!yes && !(await confirm(question(rehearsed.length), interruption))) {
    writeErr(declined);
    return { sent: 0, refused };
  }
  await backup.keep(rehearsed);
  const sent: Step[] = [];
  let isCertain = false;
  try {
    await take(send(rehearsed, { dryRun: false }), interruption, sent);
    isCertain = true;
  } finally {
    await backup.finish(sent, isCertain);
  }
  return { sent: sent.length, refused: steps.length - sent.length };
}

/** Reports each answer and collects the steps that were taken; after Ctrl-C nothing more is sent. */
async function take<Step>(
  answers: AsyncIterable<Answer<Step>>,
  { signal }: Interruption,
  steps: Step[],
): Promise<void> {
  for await (const { step, isTaken, line } of answers) {
    writeErr(line);
    if (isTaken) steps.push(step);
    if (signal.aborted) break;
  }
  if (signal.aborted) throw interrupted('Nothing was changed but what the lines above say.');
}
