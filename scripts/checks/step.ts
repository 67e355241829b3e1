import { once } from 'node:events';
import { spawnGroup } from './group.ts';

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
  const child = spawnGroup(['--run', script, '--', ...args], {
    cwd: root,
    stdio: openly ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const [code, signal] = await once(child, 'close');
  const time = seconds(performance.now() - started);
  const killed = signal ? ` (${signal})` : '';
  const outcome = code === 0 ? time : `failed after ${time}${killed}`;
  process.stdout.write(openly ? `${name}: ${outcome}\n\n` : `${outcome}\n`);
  if (code !== 0) process.stdout.write(output);
  return code === 0;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
