import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backups, type Run, root, wordsOf } from './command-line.ts';

export const bin = join(root, 'bin', 'kubectl-gc.cjs');

if (!existsSync(join(root, 'dist', 'launch.cjs'))) {
  throw new Error('dist is missing, and these tests run it: `npm run build` makes it');
}

export interface RunOptions {
  /** What stands on stdin; default: nothing. */
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** Without a kubeconfig, a home or a terminal, so that nothing of this machine shows. */
export const bareEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  KUBECTL_GC_BACKUP_DIR: backups,
  XDG_CACHE_HOME: join(root, 'node_modules', '.cache'),
};

/** Runs the built command line as a shell would. Arguments in one string are split at spaces. */
export function gc(args: string | readonly string[], options: RunOptions = {}): Promise<Run> {
  const list = typeof args === 'string' ? wordsOf(args) : args;
  return run(process.execPath, [bin, ...list], options);
}

/** Runs one line of bash in which `gc` is the built command line. */
export function bash(line: string, options: RunOptions = {}): Promise<Run> {
  return run('bash', ['-c', `gc() { "${process.execPath}" "${bin}" "$@"; }; ${line}`], options);
}

/** Runs the script in a namespace of its own, where it may mount. */
export function mounted(script: string, options: RunOptions = {}): Promise<Run> {
  return run('unshare', ['-Urm', 'sh', '-c', script], options);
}

function run(file: string, args: readonly string[], { input, env }: RunOptions): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, env: { ...bareEnvironment, ...env } });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    // Whoever fails early does not read its input to the end.
    child.stdin.on('error', () => undefined).end(input ?? '');
    child.once('error', reject).once('close', (code, signal) => {
      if (code === null) reject(new Error(`${file} ${args.join(' ')} was ended by ${signal}`));
      else resolve({ code, stdout: text(stdout), stderr: text(stderr) });
    });
  });
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString();
}
