import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Run, root, wordsOf } from '../support/command-line.ts';
import { bareEnvironment, bin } from '../support/run-gc.ts';

/** Runs the built command line, and sends it a signal, Ctrl-C by default, as soon as stdout shows `at`. */
export async function interruptGc(
  line: string,
  at: string,
  env: Readonly<Record<string, string>>,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<Run> {
  const child = spawn(process.execPath, [bin, ...wordsOf(line)], {
    cwd: root,
    env: { ...bareEnvironment, ...env },
  });
  child.stdin.end();
  let stdout = '';
  let stderr = '';
  let isPressed = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (isPressed || !stdout.includes(at)) return;
    isPressed = true;
    child.kill(signal);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
