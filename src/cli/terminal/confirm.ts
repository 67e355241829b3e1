import { usageError } from '../../errors.ts';
import { type Interruption, interrupted } from './interruption.ts';
import { writeErr } from './streams.ts';

/**
 * Asks on the terminal, as kubectl does; only y or Y is a yes, or where a word has to be typed only that
 * word. Without a terminal the answer is no. A signal that comes meanwhile ends the question.
 */
export async function confirm(
  question: string,
  { signal }: Interruption,
  word?: string,
): Promise<boolean> {
  if (!isInteractive()) return false;
  const stopped = () => interrupted('Nothing was changed.');
  if (signal.aborted) throw stopped();
  const { createInterface } = await import('node:readline');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
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
        // Ctrl-D and Ctrl-C leave the cursor behind the question.
        if (!answered) writeErr('');
        resolve(false);
      })
      .question(
        `${question} ${word === undefined ? '(y/N)' : `Type ${word} to confirm`}: `,
        (answer) => {
          answered = true;
          resolve(word === undefined ? /^y$/i.test(answer.trim()) : answer.trim() === word);
          prompt.close();
        },
      );
  });
}

/** Refuses what is only done after a yes, where there is neither --yes nor a terminal to ask on. */
export function refuseUnasked(yes: boolean | undefined, message: string, suggestion: string): void {
  if (!yes && !isInteractive()) throw usageError('not-confirmed', message, suggestion);
}

/** Does a person watch, who can be asked? */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}
