import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** One running server of a control plane. */
export interface ServerProcess {
  readonly pid: number;
  /** What it has logged so far. */
  log(): string;
  /** Resolves when `ready` does so with true; rejects with the log's end when the server ends or time is up. */
  until(ready: () => Promise<boolean>): Promise<void>;
  stop(): Promise<void>;
}

const startTimeout = 180_000;
let starts = 0;

/** Starts a server whose log and pid are kept in `directory`. */
export function startServer(
  directory: string,
  program: string,
  args: readonly string[],
): ServerProcess {
  const name = program.slice(program.lastIndexOf('/') + 1);
  starts += 1;
  const logFile = join(directory, `${name}-${starts}.log`);
  const output = openSync(logFile, 'a');
  const child = spawn(program, args, { cwd: directory, stdio: ['ignore', output, output] });
  closeSync(output);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} did not start`);
  const pidFile = join(directory, `${name}-${starts}.pid`);
  writeFileSync(pidFile, `${pid}\n`);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void ended.then(() => rmSync(pidFile, { force: true }));
  const log = () => readFileSync(logFile, 'utf8');

  async function until(ready: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + startTimeout;
    while (!(await ready().catch(() => false))) {
      const failed = hasEnded(child) ? 'ended' : performance.now() > deadline ? 'is not ready' : '';
      if (failed) throw new Error(`${name} ${failed}; from its log:\n${telling(log())}`);
      await sleep(20);
    }
  }

  async function stop(): Promise<void> {
    // Nothing of a test's cluster is worth a graceful end, which takes seconds.
    if (!hasEnded(child)) child.kill('SIGKILL');
    await ended;
  }

  return { pid, log, until, stop };
}

/** The panic, when there is one, else the end. */
function telling(log: string): string {
  const panic = log.indexOf('panic: ');
  return panic < 0 ? log.slice(-2000) : log.slice(panic, panic + 2000);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/**
 * Kills the servers whose pid files are in `directory`, and removes it, when this process ends
 * in whatever way, SIGKILL included: then the pipe closes that the guard reads from.
 */
export function guard(directory: string): () => Promise<void> {
  const script = `
    read -r nothing
    for file in "$1"/*.pid; do [ -f "$file" ] && kill -9 "$(cat "$file")"; done
    rm -rf "$1"`;
  const child = spawn('/bin/sh', ['-c', script, 'guard', directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return async () => {
    child.ref();
    child.stdin.end();
    await ended;
  };
}

/**
 * Ports below those that the kernel gives to outgoing connections (32768 on Linux): a server that is started later finds them
 * free. Each process begins elsewhere, so that tests side by side do not choose the same.
 */
const portRange = { first: 12_000, count: 20_000, ofProcess: 40 };
let nextPort = (process.pid * portRange.ofProcess) % portRange.count;

/** Ports of 127.0.0.1 that nobody listens on, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const port = portRange.first + nextPort;
    nextPort = (nextPort + 1) % portRange.count;
    if (await isFree(port)) found.push(port);
  }
  return found;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
