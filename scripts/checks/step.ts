import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endGroup, spawnGroup } from './group.ts';

/** A script of package.json. */
export interface Step {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
}

/** Runs a script openly; prints its name before it and how long it took after it; resolves with whether it succeeded. */
export async function runStep({ name, script, args = [] }: Step, root: string): Promise<boolean> {
  const started = performance.now();
  process.stdout.write(`${name}\n`);
  const stdio = ['ignore', 'inherit', 'inherit'] as const;
  const child = spawnGroup(['--run', script, '--', ...args], { cwd: root, stdio: [...stdio] });
  const { succeeded, outcome } = await endOf(child, started);
  process.stdout.write(`${name}: ${outcome}\n\n`);
  return succeeded;
}

/**
 * Runs scripts at the same time, quietly: prints how long each took, in the order given, and the output of the
 * first that fails, which ends the others.
 */
export async function runTogether(steps: readonly Step[], root: string): Promise<boolean> {
  const running = steps.map(({ script }) => startQuietly(script, root));
  for (const [at, { ended }] of running.entries()) {
    const { succeeded, outcome, output } = await ended;
    process.stdout.write(`${steps[at]?.name} ${outcome}\n`);
    if (succeeded) continue;
    process.stdout.write(output);
    for (const { child } of running) endGroup(child);
    return false;
  }
  return true;
}

function startQuietly(script: string, root: string) {
  const started = performance.now();
  const child = spawnGroup(['--run', script], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return { child, ended: endOf(child, started).then((end) => ({ ...end, output })) };
}

async function endOf(child: ChildProcess, started: number) {
  const [code, signal] = await once(child, 'close');
  const time = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  const killed = signal ? ` (${signal})` : '';
  return { succeeded: code === 0, outcome: code === 0 ? time : `failed after ${time}${killed}` };
}
