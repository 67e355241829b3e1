import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a script of package.json: quietly, showing its output only when it fails, or `openly`. */
export interface Step {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly openly?: boolean;
}

/** Prints the step's name and how long it took; resolves with whether it succeeded. */
export async function runStep(step: Step, root: string): Promise<boolean> {
  const { name, script, args = [], openly = false } = step;
  const started = performance.now();
  process.stdout.write(openly ? `${name}\n` : `${name} `);
  const child = spawn(process.execPath, ['--run', script, '--', ...args], {
    cwd: root,
    stdio: openly ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  const forget = endWithUs(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  forget();
  const time = seconds(performance.now() - started);
  const outcome = code === 0 ? time : `failed after ${time}`;
  process.stdout.write(openly ? `${name}: ${outcome}\n\n` : `${outcome}\n`);
  if (code !== 0) process.stdout.write(output);
  return code === 0;
}

/** Stops a child when this process is told to stop. Returns how to take that back. */
export function endWithUs(
  child: ChildProcess,
  stop: () => unknown = () => child.kill(),
): () => void {
  const onSignal = (signal: NodeJS.Signals) => {
    stop();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  return () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
