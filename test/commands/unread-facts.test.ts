import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditReport } from '../../src/output/documents/audit.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const inFull = 'Ask the cluster itself, or give the objects in full, as get -o yaml prints them.';

const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'c1',
    namespace: 'shop',
    uid: 'u-c1',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['kubernetes.io/pvc-protection'],
  },
  spec: { volumeName: 'v1' },
  status: { phase: 'Bound' },
};
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: 'u-web' },
};

function given(...objects: object[]): string {
  const path = join(folder, 'input.json');
  writeFileSync(path, objects.map((object) => JSON.stringify(object)).join('\n'));
  return `--from ${path} --now 2026-01-03T00:00:00Z`;
}

test.each([
  ['a pod of which only metadata is in the input', [claim, pod], 'what the pods use was not read'],
  ['an input without pods', [claim], 'pods were not read'],
])('why --fix refuses to unprotect a claim: %s', async (_, objects, unread) => {
  const run = await gcHere(`why pvc/c1 -n shop --fix ${given(...objects)}`);
  expect(run.code).toBe(3);
  expect(run.stdout.split('\n').filter((line) => !line.includes('•'))).toEqual([
    expect.stringMatching(
      /^PersistentVolumeClaim\/c1 in shop may be stuck; not everything could be read: Terminating for \w+, waiting for finalizer kubernetes.io\/pvc-protection$/,
    ),
    `└─ ? kubernetes.io/pvc-protection waits for the pods that use the claim; ${unread}`,
    `      → ${inFull}`,
    '',
  ]);
  expect(run.stderr.split('\n').slice(-3)).toEqual([
    'error: no step removes kubernetes.io/pvc-protection of persistentvolumeclaim/c1: it was not read whether what it protects is in use',
    `  ${inFull}`,
    '',
  ]);
});

test('no forecast, simulation or plan takes the protection off where the input has no pods', async () => {
  const from = given(claim);
  const forecast = await gcHere(`forecast ${from} -o json`);
  expect(JSON.parse(forecast.stdout).items).toEqual([]);
  const { stdout } = await gcHere(`simulate --delete pvc/c1 -n shop ${from}`);
  expect(stdout).toContain('it was not read whether pods use it');
  const plan = await gcHere(`delete pvc/c1 -n shop --preview ${from} -o json`);
  expect(JSON.parse(plan.stdout).objects).toMatchObject([{ name: 'c1', fate: 'terminating' }]);
});

test('podgc-preview says of which pods nothing can be said', async () => {
  const some = await gcHere(`podgc-preview ${given(pod)}`);
  expect([some.code, some.stdout, some.stderr.split('\n')]).toEqual([
    0,
    '',
    [
      'Of 1 of 1 pods only metadata was read: what becomes of these is unknown.',
      "Threshold 12500 (kube-controller-manager's default; what it runs with was not read).",
      'terminated: 0 (0 pods have ended, 12500 may stay; unknown for 1 pod whose spec was not read)',
      'out-of-service: 0 (deleted pods on Nodes that are not ready and tainted out-of-service; unknown for 1 pod whose spec was not read)',
      'orphaned: 0 (0 Nodes that pods name do not exist; unknown for 1 pod whose spec was not read)',
      'unscheduled: 0 (deleted pods that are bound to no Node; unknown for 1 pod whose spec was not read)',
      'No pods that it would delete found in what could be read.',
      '',
    ],
  ]);
  const none = await gcHere(`podgc-preview ${given(claim)}`);
  expect(none.stderr.split('\n')[0]).toBe('Pods were not read: what becomes of them is unknown.');
});

test('a deletion does not call a pod without a node whose node was not read', async () => {
  const late = {
    ...pod,
    metadata: {
      ...pod.metadata,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 30,
    },
  };
  const run = await gcHere(`delete pod/web -n shop --preview -o json ${given(late)}`);
  expect(JSON.parse(run.stdout).objects[0]).toMatchObject({
    fate: 'terminating',
    blockedBy: [],
    because:
      'it is being deleted already; it was not read which node it is on, whose kubelet has to confirm that its containers have stopped',
  });
  const asked = await gcHere(`delete pod/web -n shop --preview -o json ${given(pod)}`);
  expect(JSON.parse(asked.stdout).objects[0].because).toBe(
    'requested; it was not read which node it is on: on none it is gone at once, on a node when the kubelet there has confirmed that its containers stopped',
  );
});

test('audit warns of deletions by what it could not read, and does not call them clean or stuck', async () => {
  const volume = {
    ...claim,
    kind: 'PersistentVolume',
    metadata: {
      name: 'v1',
      uid: 'u-v1',
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['kubernetes.io/pv-protection'],
    },
    spec: { persistentVolumeReclaimPolicy: 'Retain' },
    status: undefined,
  };
  const run = await gcHere(`audit --rule stuck-object ${given(claim, volume, pod)} -o json`);
  const { items } = JSON.parse(run.stdout) as AuditReport;
  const said = items.map(({ severity, cause, object }) => [severity, cause, object.name]);
  expect([run.code, ...said]).toEqual([
    3,
    ['warning', 'volume-bound', 'v1'],
    ['warning', 'claim-in-use', 'c1'],
  ]);
  expect(run.stderr).toContain(
    'stuck-object: 1 object not checked: could not be read: pods in shop',
  );
  expect(run.stderr).toContain(
    'stuck-object: 1 object not checked: could not be read: persistentvolumes/v1',
  );
});
