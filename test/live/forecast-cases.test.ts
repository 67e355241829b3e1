import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { AuditReport } from '../../src/questions/audit/document.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import { askingOf } from '../support/asking.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { volumeSpec } from '../support/volumes.ts';

const folder = temporaryFolder();

/** A volume whose claim was deleted, with a policy that the API server refuses to take. */
const scrubbed = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'scrubbed', uid: 'uid-scrubbed', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: volumeSpec('', {
    persistentVolumeReclaimPolicy: 'Scrub',
    volumeMode: 'Filesystem',
    hostPath: undefined,
    csi: { driver: 'disk.example.com', volumeHandle: 'disk-1' },
    claimRef: {
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
      ...{ namespace: 'shop', name: 'data', uid: 'gone' },
    },
  }),
  status: { phase: 'Bound' },
} as unknown as KubeObject;

/** Single cases that few clients make, each beside the controllers that decide about them. */
const plane = await ownControlPlane({ controllers: 'none', objects: [scrubbed] });
const { run, json } = askingOf(plane);
const forecast = (line: string) => json<ForecastReport>(`forecast ${line}`);
beforeAll(async () => {
  await plane.make('Namespace shop');
  await plane.make('ServiceAccount shop/default');
});

test('a volume with an unknown reclaim policy fails, as it is forecast, and is a finding then', async () => {
  const asked = '-A --collector persistentvolume-reclaim';
  const because =
    'its claim shop/data was deleted, and its reclaim policy is Scrub, which kube-controller-manager does not know';
  const { items } = await forecast(asked);
  expect(items.map((item) => [item.because, item.rule, item.confidence])).toEqual(
    expect.arrayContaining([[because, 'PV-4', 'certain']]),
  );
  await plane.startControllers(['persistentvolume-binder-controller', 'statefulset-controller']);
  const failed = await eventually('the volume fails', async () => {
    const { status } = await plane.get('PersistentVolume scrubbed');
    const { phase, message } = status as { phase: string; message?: string };
    return phase === 'Failed' && message;
  });
  expect(failed).toBe('Volume has unrecognized PersistentVolumeReclaimPolicy');
  const after = await forecast(asked);
  expect([
    after.items,
    after.leftovers.map((one) => one.because.split(', Failed since')[0]),
  ]).toEqual([[], [because]]);
  const { stdout } = await run('audit -A --no-config --rule undeletable-volume -o json');
  const { items: findings } = JSON.parse(stdout) as AuditReport;
  expect(findings.map(({ object, message }) => [object.name, message])).toEqual([
    ['scrubbed', expect.stringContaining('Scrub')],
  ]);
});

test('of two conditions Ready of a pod the first counts', async () => {
  const labels = { app: 'db' };
  await plane.make('StatefulSet shop/db', {
    spec: {
      replicas: 2,
      serviceName: 'db',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec('db') },
    },
  });
  const report = async (name: string, ...statuses: string[]) => {
    await eventually(`${name} is made`, () => plane.find(`Pod shop/${name}`));
    const conditions = statuses.map((status) => ({ type: 'Ready', status }));
    await plane.report(`Pod shop/${name}`, { phase: 'Running', conditions });
  };
  const spec = { replicas: 1 };
  const target = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'shop', name: 'db' };
  const requests = [{ verb: 'patch', ...target, patch: { spec } }];
  const file = join(folder, 'scenario.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'kubectl-gc/v1', kind: 'Scenario', requests }));
  const goesInSimulation = async () => {
    const { steps } = await json<{ steps: { object: { name: string } }[] }>(
      `simulate --scenario ${file}`,
    );
    return steps.some(({ object }) => object.name === 'db-1');
  };
  await report('db-0', 'True');
  await report('db-1', 'True');
  expect(await goesInSimulation()).toBe(true);
  await report('db-0', 'False', 'True');
  expect(await goesInSimulation()).toBe(false);
  await plane.patch('StatefulSet shop/db', { spec });
  await eventually('the observed generation', async () => {
    const { metadata, status } = await plane.get('StatefulSet shop/db');
    return (status as { observedGeneration?: number }).observedGeneration === metadata.generation;
  });
  expect(await plane.isHealthy('Pod shop/db-1')).toBe(true);
  await report('db-0', 'True', 'False');
  await eventually('the last pod goes', async () => !(await plane.isHealthy('Pod shop/db-1')));
  await plane.stopControllers();
});

const driver = 'gpu.example.com';

async function user(name: string, tolerations: readonly object[]): Promise<void> {
  await plane.make(`ResourceClaim default/${name}`, {
    spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
  });
  const { metadata } = await plane.make(`Pod default/${name}`, {
    spec: {
      nodeName: 'w1',
      ...podSpec('main'),
      resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
    },
  });
  const results = [{ request: 'gpu', driver, pool: 'w1', device: name, tolerations }];
  await plane.report(`ResourceClaim default/${name}`, {
    allocation: { devices: { results } },
    reservedFor: [{ resource: 'pods', name, uid: metadata.uid }],
  });
}

test('pods are evicted from tainted devices that their claims do not tolerate, as forecast', async () => {
  const taints = [{ key: 'example.com/broken', effect: 'NoExecute' }];
  // Without their Node they would go by that.
  await plane.make('Node w1', {});
  await plane.report('Node w1', { conditions: [{ type: 'Ready', status: 'True' }] });
  const names = ['intolerant', 'patient', 'tolerant', 'untainted'];
  await plane.make('ResourceSlice w1', {
    spec: {
      driver,
      nodeName: 'w1',
      pool: { name: 'w1', generation: 1, resourceSliceCount: 1 },
      devices: names.map((name) => (name === 'untainted' ? { name } : { name, taints })),
    },
  });
  const tolerated = { key: 'example.com/broken', operator: 'Exists', effect: 'NoExecute' };
  await user('intolerant', []);
  await user('patient', [{ ...tolerated, tolerationSeconds: 3600 }]);
  await user('tolerant', [tolerated]);
  await user('untainted', []);

  const { items } = await forecast('-n default --collector device-taint-eviction');
  const due = items
    .filter(({ action }) => action === 'delete')
    .map(({ object, rule, notBefore }) => {
      const minutes = Math.round((Date.parse(`${notBefore}`) - Date.now()) / 60_000);
      return `${object.name} ${rule} ${Math.abs(minutes)} min`;
    });
  expect(due.sort()).toEqual(['intolerant DEV-1 0 min', 'patient DEV-2 60 min']);

  await plane.startControllers(['device-taint-eviction-controller']);
  const going = async () =>
    (await plane.list('Pod default/')).flatMap(({ metadata }) =>
      metadata.deletionTimestamp ? [metadata.name] : [],
    );
  await eventually('one is evicted', async () => (await going()).length > 0);
  expect(await going()).toEqual(['intolerant']);
  await plane.stopControllers();
});

const podSpec = (image: string) => ({
  containers: [{ name: 'main', image: `example.com/${image}` }],
});

test('a paused Deployment whose template is new, and claims that nothing uses, end as forecast', async () => {
  const sets = 'ReplicaSet default/';
  const claims = 'ResourceClaim default/';
  const working = ['deployment-controller', 'replicaset-controller'];
  const labels = { app: 'web' };
  const template = (image: string) => ({
    spec: { template: { metadata: { labels }, spec: podSpec(image) } },
  });
  await plane.make('Deployment default/web', {
    spec: { replicas: 0, selector: { matchLabels: labels }, ...template('a').spec },
  });
  await plane.startControllers(working);
  const haveSets = (count: number) =>
    eventually(`${count} ReplicaSets`, async () => (await plane.names(sets)).length === count);
  await haveSets(1);
  await plane.patch('Deployment default/web', template('b'));
  await haveSets(2);
  await plane.stopControllers();
  const before = [...(await plane.names(sets)), 'idle', 'of-done'];
  const paused = { paused: true, revisionHistoryLimit: 1, ...template('c').spec };
  await plane.patch('Deployment default/web', { spec: paused });

  const { metadata } = await plane.make('Pod default/done', {
    spec: { nodeName: 'w1', ...podSpec('a') },
  });
  await plane.report('Pod default/done', { phase: 'Succeeded' });
  const { uid } = metadata;
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'done', uid, controller: true };
  const spec = { devices: {} };
  await plane.make(`${claims}of-done`, { metadata: { ownerReferences: [owner] }, spec });
  const finalizers = ['resource.kubernetes.io/delete-protection'];
  await plane.make(`${claims}idle`, { metadata: { finalizers }, spec });
  await plane.report(`${claims}idle`, { allocation: { devices: {} } });
  await plane.remove(`${claims}idle`);

  const { items } = await forecast('-n default --collector replicaset-history,resourceclaim');
  const due = items.flatMap(({ object, action }) => (action === 'delete' ? object.name : []));
  await plane.startControllers([...working, 'resourceclaim-controller']);
  const left = async () => {
    const there = [...(await plane.names(sets)), ...(await plane.names(claims))];
    return there.filter((name) => before.includes(name));
  };
  await eventually('three are gone', async () => (await left()).length === 1);
  const stays = await left();
  expect([...due, 'idle'].sort()).toEqual(before.filter((name) => !stays.includes(name)).sort());
  await plane.stopControllers();
});
