import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bareEnvironment, bin } from '../support/run-gc.ts';

export interface Terminal {
  readonly env: Readonly<Record<string, string>>;
  /** Typed when `at` is shown. */
  readonly typed?: string;
  readonly at?: string;
  /** Further questions, one after the other, and what is typed when each is shown. */
  readonly further?: readonly { readonly at: string; readonly typed: string }[];
  /** Typed at once. */
  readonly first?: string;
  /** A file that is on stdin, instead of the terminal. */
  readonly input?: string;
  /** 0 as some programs make terminals: without a size. */
  readonly columns?: number;
}

/** Runs a command line on a terminal of its own, which `script` makes. */
export async function onTerminal(
  line: string,
  { env, typed = '', at = '(y/N): ', further = [], first, input, columns = 0 }: Terminal,
): Promise<{ readonly code: number; readonly shown: string }> {
  const size = columns > 0 ? `stty cols ${columns} rows 24; ` : '';
  const source = input === undefined ? '' : ` < '${input}'`;
  const command = `${size}exec '${process.execPath}' '${bin}' ${line}${source}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...bareEnvironment, ...env },
  });
  let shown = '';
  const answers = [{ at, typed }, ...further];
  let seen = 0;
  if (first !== undefined) child.stdin.write(first);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    for (let [next] = answers; next; [next] = answers) {
      const found = shown.indexOf(next.at, seen);
      if (found < 0) return;
      seen = found + next.at.length;
      answers.shift();
      child.stdin.write(next.typed);
    }
  });
  const [code] = await once(child, 'close');
  return { code, shown };
}
