import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

const running = new Set<ChildProcess>();

for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    for (const child of running) endGroup(child);
    process.exit(exitCode);
  });
}

/** Starts the Node that runs this in a process group of its own, which ends when this process is told to end. */
export function spawnGroup(args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(process.execPath, args, { ...options, detached: true });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** Stops a group as a whole: stopping a shell or a compiler driver alone would leave its children. */
export function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || !running.has(child)) return;
  try {
    process.kill(-child.pid);
  } catch (error) {
    // It has ended, and its pipes are not closed yet.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
