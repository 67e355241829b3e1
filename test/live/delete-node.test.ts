import { beforeAll, expect, test } from 'vitest';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A Node is deleted where pod garbage collection runs, which then deletes its pods. */
const plane = await ownControlPlane({
  controllers: ['garbage-collector-controller', 'pod-garbage-collector-controller'],
});
const folder = temporaryFolder();
const pods = '/api/v1/namespaces/shop/pods';
const systemPods = '/api/v1/namespaces/kube-system/pods';

beforeAll(async () => {
  await plane.create('/api/v1/namespaces', { metadata: { name: 'shop' } });
  for (const namespace of ['shop', 'kube-system']) {
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await plane.create(accounts, { metadata: { name: 'default' } });
  }
  await plane.create('/api/v1/nodes', { metadata: { name: 'worker' } });
  const containers = [{ name: 'app', image: 'example.com/app' }];
  const spec = { nodeName: 'worker', automountServiceAccountToken: false, containers };
  for (const name of ['bare-1', 'bare-2']) await plane.create(pods, { metadata: { name }, spec });
  const labels = { app: 'proxy' };
  const { metadata } = await plane.create<{ metadata: { uid: string } }>(
    '/apis/apps/v1/namespaces/kube-system/daemonsets',
    {
      metadata: { name: 'proxy' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    },
  );
  const { uid } = metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'proxy', uid, controller: true };
  await plane.create(systemPods, {
    metadata: { name: 'proxy-1', labels, ownerReferences: [owner] },
    spec,
  });
});

test('a Node goes with the pods that are bound to it, those of a DaemonSet in kube-system included, and they are in the backup', async () => {
  const { code, stdout, stderr } = await gc('delete node/worker --yes --timeout 150s', {
    env: { KUBECONFIG: plane.kubeconfigPath, KUBECTL_GC_BACKUP_DIR: folder },
  });
  expect([code, stdout], stderr).toEqual([0, 'node "worker" deleted\n']);
  expect(stderr).toMatch(/^Backup of 4 objects: /);
  for (const path of [pods, systemPods])
    expect((await plane.get<{ items: unknown[] }>(path)).items).toEqual([]);
});
