import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ConnectionOptions } from '../../src/client/cluster-client.ts';

const version = 'v1.36.3';

function find(): string | undefined {
  const { KUBEBUILDER_ASSETS, XDG_CACHE_HOME } = process.env;
  const cache = XDG_CACHE_HOME || join(homedir(), '.cache');
  return [KUBEBUILDER_ASSETS, join(cache, 'kubectl-gc', 'control-plane', version, 'bin')]
    .filter((directory) => directory !== undefined && directory !== '')
    .map((directory) => join(directory ?? '', 'kubectl'))
    .find((file) => existsSync(file) && isRightVersion(file));
}

function isRightVersion(file: string): boolean {
  return spawnSync(file, ['version', '--client']).stdout.includes(version);
}

/** The real kubectl to compare with; undefined when it was not built here. */
const kubectl = find();

/** Says once that comparisons are left out; in CI that is an error. */
export function requireKubectl(): boolean {
  if (kubectl !== undefined) return true;
  const message = `kubectl ${version} is not here: the comparisons with it are left out (build it with npm run control-plane, or set KUBEBUILDER_ASSETS)`;
  if (process.env.CI === 'true') throw new Error(message);
  console.warn(message);
  return false;
}

export interface KubectlRun {
  readonly code: number;
  readonly stderr: string;
}

/** `kubectl get --raw /version` with these flags, nothing inherited from the developer. */
export async function runKubectl(
  options: ConnectionOptions,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<KubectlRun> {
  const child = spawn(kubectl ?? '', ['get', '--raw', '/version', ...flagsOf(options)], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code, stderr };
}

function flagsOf(options: ConnectionOptions): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const values = Array.isArray(value) ? value : [value];
    return values.filter((one) => one !== undefined).map((one) => `${flag}=${one}`);
  });
}
