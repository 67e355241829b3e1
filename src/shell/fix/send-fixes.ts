import { type Interruption, interrupted, orInterrupted } from '../../perform/interrupted.ts';
import { applyFixStep, type FixResult } from '../../why/fix/apply-fix.ts';
import type { FixRequest } from '../../why/fix-request.ts';
import type { OpenedCluster } from '../input/session.ts';
import { confirm, refuseUnaskedFix } from '../terminal/confirm.ts';
import { writeErr } from '../terminal/streams.ts';
import { backUpBefore, showFixes, tellUndo } from './fix-backup.ts';

export interface FixOptions {
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly interruption: Interruption;
}

interface Words {
  readonly line: (step: FixRequest, result: FixResult, dryRun: boolean) => string;
  readonly question: (count: number) => string;
  readonly declined: string;
}

/**
 * Rehearses every step on the server, shows what changes and asks, keeps how it was, then sends once those
 * that the server would take.
 * Answers how many were sent and taken, how many were refused at one time or the other, and what the server said
 * last.
 */
export async function sendFixes(
  cluster: OpenedCluster,
  steps: readonly FixRequest[],
  { yes, dryRun, interruption }: FixOptions,
  { line, question, declined }: Words,
) {
  if (!dryRun) refuseUnaskedFix(yes);
  const { signal } = interruption;
  let last: FixResult['outcome'] | undefined;

  /** Collects the steps that were taken; after Ctrl-C nothing more is sent. */
  async function send(some: readonly FixRequest[], rehearses: boolean, taken: FixRequest[]) {
    for (const step of some) {
      const result = await applyFixStep(cluster.client, step, { dryRun: rehearses, signal });
      // A rehearsal that was ended says nothing.
      if (rehearses && signal.aborted) break;
      last = result.outcome;
      writeErr(line(step, result, rehearses));
      if (result.outcome === 'applied') taken.push(step);
      if (signal.aborted) break;
      if (result.error !== undefined) throw result.error;
    }
    if (signal.aborted) throw interrupted('Nothing was changed but what the lines above say.');
  }

  const rehearsed: FixRequest[] = [];
  const unchanged = 'Nothing was changed.';
  await orInterrupted(send(steps, true, rehearsed), interruption, unchanged);
  if (dryRun || !yes)
    await orInterrupted(showFixes(cluster, rehearsed, interruption), interruption, unchanged);
  const refused = steps.length - rehearsed.length;
  if (dryRun) writeErr('Nothing was changed (--dry-run).');
  if (dryRun || rehearsed.length === 0) return { sent: 0, refused, last };
  if (!yes && !(await confirm(question(rehearsed.length), interruption))) {
    writeErr(declined);
    return { sent: 0, refused, last };
  }
  const backup = await backUpBefore(cluster, rehearsed, interruption);
  const sent: FixRequest[] = [];
  let isCertain = false;
  try {
    await send(rehearsed, false, sent);
    isCertain = true;
  } finally {
    await tellUndo(backup, sent, isCertain, cluster.place);
  }
  return { sent: sent.length, refused: steps.length - sent.length, last };
}
