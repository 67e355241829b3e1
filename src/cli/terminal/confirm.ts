import { interrupted } from './interruption.ts';
import { writeErr } from './streams.ts';

/** Asks on the terminal, as kubectl does; only y or Y is a yes. Without a terminal nobody can agree. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { createInterface } = await import('node:readline');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve, reject) => {
    let answered = false;
    prompt
      .once('SIGINT', () => {
        reject(interrupted('Nothing was changed.'));
        prompt.close();
      })
      .once('close', () => {
        // Ctrl-D and Ctrl-C leave the cursor behind the question.
        if (!answered) writeErr('');
        resolve(false);
      })
      .question(`${question} (y/N): `, (answer) => {
        answered = true;
        resolve(/^y$/i.test(answer.trim()));
        prompt.close();
      });
  });
}

/** Does a person watch, who can be asked? */
export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}
