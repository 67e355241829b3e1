import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One whole process, as seen from outside. */
export interface Run {
  readonly milliseconds: number;
  /** Milliseconds that its processors worked, in steps of 10; 0 where /proc does not tell. */
  readonly cpu: number;
  /** Resident memory at its peak, MiB; 0 where /proc does not tell. */
  readonly peakMiB: number;
}

export interface Command {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Done before each run, and not counted: makes what the command deletes. */
  readonly prepare?: () => Promise<void>;
}

/**
 * Runs commands A B B A …, so that a machine whose speed drifts is unfair to none, nor a server that does more work
 * after every other request; one warm-up round is not counted.
 */
export async function inTurns(
  commands: readonly Command[],
  rounds: number,
): Promise<Map<string, Run[]>> {
  const runs = new Map<string, Run[]>(commands.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const command of round % 2 === 0 ? commands : commands.toReversed()) {
      await command.prepare?.();
      const run = await runOnce(command);
      if (round >= 0) runs.get(command.name)?.push(run);
    }
  }
  return runs;
}

/**
 * Prints a line for each command: median, range, the ratio to the last command (pair by pair, and of
 * the best runs, which a busy machine disturbs less), mean processor time, which it disturbs least,
 * and peak memory.
 */
export function report(runs: Map<string, Run[]>): void {
  const [, baseline = []] = [...runs].at(-1) ?? [];
  const best = (own: readonly Run[]) => Math.min(...own.map((run) => run.milliseconds));
  for (const [name, own] of runs) {
    const times = own.map((run) => run.milliseconds);
    const ratios = own.map(
      (run, i) => run.milliseconds / (baseline[i]?.milliseconds ?? Number.NaN),
    );
    console.log(
      [
        name.padEnd(44),
        `median ${median(times).toFixed(0)} ms`.padEnd(18),
        `${best(own).toFixed(0)}–${Math.max(...times).toFixed(0)} ms`.padEnd(18),
        `ratio ${median(ratios).toFixed(2)}`.padEnd(12),
        `best ${(best(own) / best(baseline)).toFixed(2)}`.padEnd(11),
        `CPU ${(own.reduce((sum, run) => sum + run.cpu, 0) / own.length).toFixed(0)} ms`.padEnd(13),
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
    const idle = endedChildrenCpu();
    // More authorities of this machine would be read at each start of TLS, as many as those that Node brings.
    const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...inherited, ...env },
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
      const cpu = endedChildrenCpu() - idle;
      if (code === 0) resolve({ milliseconds, cpu, peakMiB });
      else reject(new Error(`${name} ended with ${code}: ${errors.slice(-2000)}`));
    });
  });
}

/** Milliseconds that all ended children of this process worked: cutime and cstime, in ticks of 10 ms. */
function endedChildrenCpu(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0;
  }
}

/** Of a running process, MiB of resident memory at its peak; 0 where /proc does not tell. */
export function highWaterMark(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
