import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { connect } from '../../src/cluster/connection/connect.ts';
import { sendWrite } from '../../src/cluster/write/send-write.ts';
import type { WriteRequest } from '../../src/cluster/write/write-request.ts';
import { builtInTypes, builtInVersion } from '../../src/kube/built-in-types.ts';
import { cleared } from '../support/cleared.ts';
import { startControlPlane } from '../support/control-plane.ts';
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

test('a control plane fails at its end if a write was bound to no uid', async () => {
  const plane = await startControlPlane({ controllers: 'none' });
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  const path = '/api/v1/namespaces/default/configmaps';
  const metadata = { name: 'a' };
  const creation: WriteRequest = { verb: 'create', path, body: { kind: 'ConfigMap', metadata } };
  const deletion: WriteRequest = { verb: 'delete', path: `${path}/a` };
  for (const write of [creation, { ...deletion, dryRun: true }, deletion])
    expect((await sendWrite(client, cleared(write))).outcome).toBe('done');
  client.close();
  await expect(plane.stop()).rejects.toThrow(
    'unbound writes:\ndelete /api/v1/namespaces/default/configmaps/a without a uid',
  );
  expect(existsSync(plane.directory)).toBe(false);
});

test('a control plane ends with the process that started it, even when that is killed', async () => {
  const script = fileURLToPath(new URL('../support/abandon-control-plane.ts', import.meta.url));
  const starter = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(starter.stdout.setEncoding('utf8'), 'data');
  const { pids, directory } = JSON.parse(line) as { pids: number[]; directory: string };
  expect(pids.map(isRunning)).toEqual([true, true, true]);
  starter.kill('SIGKILL');
  await eventually('all servers ended', async () =>
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
