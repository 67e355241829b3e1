import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { type Playground, playground } from './delete-playground.ts';
import { onTerminal } from './on-terminal.ts';

/** Deletions that the garbage collector should finish, and that is not running. */
const plane = await ownControlPlane({ controllers: 'none' });
let ground: Playground;

beforeAll(async () => {
  ground = playground(plane);
});
afterAll(() => ground.remove());

test('what is not collected is not called kept, and the way to find out why is shown', async () => {
  const path = await ground.familyIn('uncollected');
  const { code, stderr } = await ground.run('cm/top -n uncollected --yes --no-backup --timeout 3s');
  expect(code).toBe(4);
  const why =
    'its owners are gone, and it is not collected yet; why --gc says whether the garbage collector runs';
  expect(stderr).toContain(`configmap/left in uncollected is left: ${why}\n`);
  expect(stderr).toContain(`configmap/right in uncollected is left: ${why}\n`);
  expect(stderr).toContain(
    'configmap/left in uncollected was planned to be deleted, and is not collected yet\n',
  );
  expect(stderr).not.toMatch(/and is kept/);
  expect((await ground.namesIn(path)).sort()).toEqual(['bottom', 'left', 'right']);
});

test('a tree on a terminal shows the last that happened while a deletion hangs', async () => {
  await ground.familyIn('hanging');
  const { code, shown } = await onTerminal(
    'delete cm/top -n hanging --yes --no-backup --timeout 4s',
    { env: { ...ground.env, TERM: 'xterm' }, columns: 80 },
  );
  expect(code).toBe(4);
  const drawn = stripVTControlCharacters(shown).match(/\d of 4 gone/g) ?? [];
  expect(drawn.at(-1)).toBe('1 of 4 gone');
});

test.concurrent('after five seconds it says who has to act, and does not call that one dead', async () => {
  await ground.familyIn('silence');
  const { code, stderr } = await ground.run('cm/top -n silence --yes --no-backup --timeout 7s');
  expect(code).toBe(4);
  expect(stderr).toContain(
    'Waiting for the garbage collector to delete 2 ConfigMaps of configmap/top: kube-controller-manager holds no Lease: it does not run, or it runs without leader election. kubectl gc why --gc\n',
  );
});

test.concurrent('a Node that is well by its conditions, and has no kubelet', async () => {
  const namespace = 'nokubelet';
  await ground.familyIn(namespace);
  await plane.create('/api/v1/nodes', { metadata: { name: 'w1' } });
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }];
  await plane.patch('/api/v1/nodes/w1/status', { status: { conditions } });
  await plane.create(`/api/v1/namespaces/${namespace}/pods`, {
    metadata: { name: 'a' },
    spec: {
      nodeName: 'w1',
      automountServiceAccountToken: false,
      containers: [{ name: 'app', image: 'example.com/app' }],
    },
  });
  const { code, stderr } = await ground.run(`pod/a -n ${namespace} --yes --timeout 7s`);
  expect(code).toBe(4);
  expect(stderr).toContain(
    'Waiting for the kubelet of Node w1 to end pod/a in nokubelet: the kubelet of Node w1 holds no Lease',
  );
});

test('where the controller manager has stopped, waiting for its work ends after two minutes', async () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  await plane.create(leases, {
    metadata: { name: 'kube-controller-manager' },
    spec: {
      holderIdentity: 'gone',
      leaseDurationSeconds: 15,
      renewTime: '2026-01-03T00:00:00.000000Z',
    },
  });
  await ground.familyIn('abandoned');
  const began = performance.now();
  const { code, stderr } = await ground.run('cm/top -n abandoned --yes --no-backup');
  const seconds = (performance.now() - began) / 1000;
  expect(code).toBe(4);
  expect(seconds).toBeGreaterThan(119);
  expect(seconds).toBeLessThan(160);
  expect(stderr).toContain('kube-controller-manager has not renewed its Lease for ');
  expect(stderr).toContain(
    'What is left is deleted once the program that has to act runs again; nothing more has to be sent. To see why: kubectl gc why configmap/',
  );
}, 200_000);
