import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { builtInTypes, builtInVersion } from '../../src/kube/built-in-types.ts';
import { eventually } from '../support/eventually.ts';
import { servedTypes } from '../support/served-types.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

const shared = sharedControlPlane();

test('the shared control plane is of the version whose kinds are built in', () => {
  expect(shared.serverVersion).toBe(builtInVersion);
});

test('the built-in kinds are still what a default API server serves, in its order', async () => {
  const types = await servedTypes(shared.get);
  expect(types.filter((type) => type.group !== 'example.com')).toEqual(builtInTypes);
});

test('a control plane ends with the process that started it, even when that is killed', async () => {
  const script = fileURLToPath(new URL('../support/abandon-control-plane.ts', import.meta.url));
  const starter = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(starter.stdout.setEncoding('utf8'), 'data');
  const { pids, directory } = JSON.parse(line) as { pids: number[]; directory: string };
  expect(pids.map(isRunning)).toEqual([true, true, true]);
  starter.kill('SIGKILL');
  await eventually('the end of all servers', async () =>
    pids.some(isRunning) || existsSync(directory) ? undefined : true,
  );
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
