import { existsSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { usageError } from '../../errors.ts';
import { printable } from '../../output/printable.ts';
import { interrupted } from '../../perform/interrupted.ts';
import { writeErr } from './streams.ts';

/**
 * Asks on the terminal; y and yes in any case are a yes, or where a word has to be typed only that
 * word. Without a terminal the answer is no. A signal that comes meanwhile ends the question.
 */
export async function confirm(
  question: string,
  signal: AbortSignal,
  word?: string,
): Promise<boolean> {
  const how = word === undefined ? '(y/N)' : `Type ${word} to confirm`;
  const answer = await ask(`${question} ${how}: `, signal);
  return word === undefined ? /^y(es)?$/i.test(answer ?? '') : answer === word;
}

/** What is typed after a question; undefined after Ctrl-D, and where there is no terminal. */
export async function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
  const input = isInteractive() ? await openTerminal() : undefined;
  if (!input) return undefined;
  const stopped = () => interrupted('Nothing was changed.');
  if (signal.aborted) throw stopped();
  const { createInterface } = await import('node:readline');
  const prompt = createInterface({ input, output: process.stderr });
  return new Promise((resolve, reject) => {
    let answered = false;
    const stop = () => {
      reject(stopped());
      prompt.close();
    };
    signal.addEventListener('abort', stop);
    prompt
      .once('SIGINT', stop)
      .once('close', () => {
        signal.removeEventListener('abort', stop);
        if (input !== process.stdin) input.destroy();
        // Ctrl-D and Ctrl-C leave the cursor behind the question.
        if (!answered) writeErr('');
        resolve(undefined);
      })
      .question(printable(question), (answer) => {
        answered = true;
        resolve(answer.trim());
        prompt.close();
      });
  });
}

/** Refuses what is only done after a yes, where there is neither --yes nor a terminal to ask on. */
export function refuseUnasked(
  yes: boolean | undefined,
  message: string,
  suggestion: string,
  usesStdin?: boolean,
): void {
  if (!yes && !isInteractive(usesStdin)) throw usageError(message, [suggestion]);
}

/** `--fix` changes nothing that was not agreed to. */
export function refuseUnaskedFix(yes: boolean, usesStdin?: boolean): void {
  refuseUnasked(
    yes,
    'nothing was changed: there is no terminal to ask on',
    'Add --yes to apply the fixes, or --dry-run to rehearse them only.',
    usesStdin,
  );
}

/**
 * Is there a person at the terminal who can be asked? Where stdin is, or was, read as input (`-f
 * -`), the answer comes from the terminal itself.
 */
export function isInteractive(usesStdin?: boolean): boolean {
  if (process.stderr.isTTY !== true) return false;
  return (usesStdin ?? process.stdin.readableDidRead)
    ? existsSync(terminal)
    : process.stdin.isTTY === true;
}

/** The terminal of this process, whatever its stdin is. */
const terminal = '/dev/tty';

async function openTerminal(): Promise<ReadStream | undefined> {
  if (!process.stdin.readableDidRead) return process.stdin;
  const [{ openSync }, tty] = await Promise.all([import('node:fs'), import('node:tty')]);
  try {
    return new tty.ReadStream(openSync(terminal, 'r'));
  } catch {
    // The process has no controlling terminal.
    return undefined;
  }
}
