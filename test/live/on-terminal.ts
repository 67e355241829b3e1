import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bareEnvironment, bin } from '../support/run-gc.ts';

export interface Terminal {
  readonly env: Readonly<Record<string, string>>;
  /** Typed when `at` is shown. */
  readonly typed?: string;
  readonly at?: string;
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
  { env, typed = '', at = '(y/N): ', first, input, columns = 0 }: Terminal,
): Promise<{ readonly code: number; readonly shown: string }> {
  const size = columns > 0 ? `stty cols ${columns} rows 24; ` : '';
  const source = input === undefined ? '' : ` < '${input}'`;
  const command = `${size}exec '${process.execPath}' '${bin}' ${line}${source}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...bareEnvironment, ...env },
  });
  let shown = '';
  let isTyped = false;
  if (first !== undefined) child.stdin.write(first);
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (isTyped || !shown.includes(at)) return;
    isTyped = true;
    child.stdin.write(typed);
  });
  const [code] = await once(child, 'close');
  return { code, shown };
}
