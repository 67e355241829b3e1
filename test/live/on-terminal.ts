import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bareEnvironment, bin } from '../cli/run-gc.ts';

/** Runs a command line on a terminal of its own, which `script` makes, and types when it is asked. */
export async function onTerminal(
  line: string,
  typed: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly shown: string }> {
  const command = `'${process.execPath}' '${bin}' ${line}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...bareEnvironment, ...env },
  });
  let shown = '';
  let asked = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (asked || !shown.includes('(y/N): ')) return;
    asked = true;
    child.stdin.write(typed);
  });
  const [code] = await once(child, 'close');
  return { code, shown };
}
