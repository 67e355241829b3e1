import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { gc } from '../support/run-gc.ts';

/** A Node is deleted where pod garbage collection runs, which then deletes its pods. */
let plane: ControlPlane;
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-delete-node-'));
const pods = '/api/v1/namespaces/shop/pods';

beforeAll(async () => {
  plane = await startControlPlane({
    controllers: ['garbage-collector-controller', 'pod-garbage-collector-controller'],
  });
  await plane.create('/api/v1/namespaces', { metadata: { name: 'shop' } });
  await plane.create('/api/v1/namespaces/shop/serviceaccounts', { metadata: { name: 'default' } });
  await plane.create('/api/v1/nodes', { metadata: { name: 'worker' } });
  for (const name of ['bare-1', 'bare-2']) {
    const containers = [{ name: 'app', image: 'example.com/app' }];
    const spec = { nodeName: 'worker', automountServiceAccountToken: false, containers };
    await plane.create(pods, { metadata: { name }, spec });
  }
});
afterAll(async () => {
  await plane?.stop();
  rmSync(folder, { recursive: true });
});

test('a Node goes with the pods that are bound to it, and they are in the backup', async () => {
  const { code, stdout, stderr } = await gc('delete node/worker --yes --timeout 150s', {
    env: { KUBECONFIG: plane.kubeconfigPath, KUBECTL_GC_BACKUP_DIR: folder },
  });
  expect([code, stdout], stderr).toEqual([0, 'node "worker" deleted\n']);
  expect(stderr).toMatch(/^Backup of 3 objects: /);
  expect((await plane.get<{ items: unknown[] }>(pods)).items).toEqual([]);
}, 180_000);
