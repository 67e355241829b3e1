import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { findControlPlane, kubectlBeside } from '../../../scripts/control-plane.mjs';
import type { ConnectionOptions } from '../../../src/cluster/connection/cluster-client.ts';

/** The one that was built with the control plane; only live tests compare with it. */
const kubectl = kubectlBeside(findControlPlane() ?? '');

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
  const child = spawn(kubectl, ['get', '--raw', '/version', ...flagsOf(options)], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code, stderr };
}

function flagsOf(options: ConnectionOptions): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.filter((one) => one !== undefined).map((one) => `--${name}=${one}`);
  });
}
