import { confirm, refuseUnaskedFix } from '../terminal/confirm.ts';
import { type Interruption, interrupted, orInterrupted } from '../terminal/interruption.ts';
import { writeErr } from '../terminal/streams.ts';

/** What `--fix` was told. */
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
  readonly question: (count: number) => string;
  readonly declined: string;
}

/**
 * Rehearses every step on the server, then asks, then sends once those that the server would take.
 * Answers how many were sent and taken, and how many were refused at one time or the other.
 */
export async function sendFixes<Step>(
  steps: readonly Step[],
  { yes, dryRun, interruption }: FixOptions,
  { send, question, declined }: Fixes<Step>,
): Promise<{ readonly sent: number; readonly refused: number }> {
  if (!dryRun) refuseUnaskedFix(yes);
  const rehearsing = taken(send(steps, { dryRun: true }), interruption);
  const rehearsed = await orInterrupted(rehearsing, interruption, 'Nothing was changed.');
  const refused = steps.length - rehearsed.length;
  if (dryRun) writeErr('Nothing was changed (--dry-run).');
  if (dryRun || rehearsed.length === 0) return { sent: 0, refused };
  if (!yes && !(await confirm(question(rehearsed.length), interruption))) {
    writeErr(declined);
    return { sent: 0, refused };
  }
  const sent = await taken(send(rehearsed, { dryRun: false }), interruption);
  return { sent: sent.length, refused: steps.length - sent.length };
}

/** Tells each answer; after Ctrl-C nothing more is sent. */
async function taken<Step>(
  answers: AsyncIterable<Answer<Step>>,
  { signal }: Interruption,
): Promise<Step[]> {
  const steps: Step[] = [];
  for await (const { step, isTaken, line } of answers) {
    writeErr(line);
    if (isTaken) steps.push(step);
    if (signal.aborted) break;
  }
  if (signal.aborted) throw interrupted('Nothing was changed but what the lines above say.');
  return steps;
}
