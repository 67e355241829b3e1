import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One whole process, as seen from outside. */
export interface Run {
  readonly milliseconds: number;
  /** Resident memory at its peak, MiB; 0 where /proc does not tell. */
  readonly peakMiB: number;
}

export interface Command {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs commands A B A B …, so that a machine whose speed drifts is unfair to none; one warm-up round is not counted. */
export async function inTurns(
  commands: readonly Command[],
  rounds: number,
): Promise<Map<string, Run[]>> {
  const runs = new Map<string, Run[]>(commands.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const command of commands) {
      const run = await runOnce(command);
      if (round >= 0) runs.get(command.name)?.push(run);
    }
  }
  return runs;
}

/** Prints a line for each command: median, range, peak memory, and the ratio to the last command, pair by pair. */
export function report(runs: Map<string, Run[]>): void {
  const [, baseline = []] = [...runs].at(-1) ?? [];
  for (const [name, own] of runs) {
    const times = own.map((run) => run.milliseconds);
    const ratios = own.map(
      (run, i) => run.milliseconds / (baseline[i]?.milliseconds ?? Number.NaN),
    );
    console.log(
      [
        name.padEnd(44),
        `median ${median(times).toFixed(0)} ms`.padEnd(18),
        `${Math.min(...times).toFixed(0)}–${Math.max(...times).toFixed(0)} ms`.padEnd(18),
        `ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`.padEnd(
          26,
        ),
        `peak ${Math.max(...own.map((run) => run.peakMiB)).toFixed(0)} MiB`,
      ].join(' '),
    );
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

function runOnce({ name, argv, env }: Command): Promise<Run> {
  const [file, ...args] = argv;
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    let peakMiB = 0;
    let errors = '';
    child.stdout.resume();
    child.stderr.on('data', (text) => {
      errors += text;
    });
    // The high-water mark only grows, so the last reading is the peak.
    const watch = setInterval(() => {
      peakMiB = Math.max(peakMiB, highWaterMark(child.pid));
    }, 10);
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(watch);
      const milliseconds = performance.now() - start;
      if (code === 0) resolve({ milliseconds, peakMiB });
      else reject(new Error(`${name} ended with ${code}: ${errors.slice(-2000)}`));
    });
  });
}

function highWaterMark(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
