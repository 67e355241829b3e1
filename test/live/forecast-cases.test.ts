import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ForecastReport } from '../../src/output/documents/forecast.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

/** A volume whose claim is gone, with a policy that the API server refuses to take. */
const scrubbed = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'scrubbed', uid: 'uid-scrubbed', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Scrub',
    volumeMode: 'Filesystem',
    csi: { driver: 'disk.example.com', volumeHandle: 'disk-1' },
    claimRef: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: 'shop',
      name: 'data',
      uid: 'gone',
    },
  },
  status: { phase: 'Bound' },
} as unknown as KubeObject;

const told = async (line: string) => {
  const { stdout, stderr } = await gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });
  expect(stdout, stderr).not.toBe('');
  return stdout;
};

/** Single cases that few clients make, each beside the controllers that decide about them. */
const plane = await ownControlPlane({ controllers: 'none', objects: [scrubbed] });
beforeAll(async () => {
  await plane.make('Namespace shop');
  await plane.make('ServiceAccount shop/default');
});

test('a volume with an unknown reclaim policy fails, as it is forecast, and is a finding then', async () => {
  const forecast = async () =>
    JSON.parse(
      await told('forecast -A --collector persistentvolume-reclaim -o json'),
    ) as ForecastReport;
  const because =
    'its claim shop/data is gone, and its reclaim policy is Scrub, which kube-controller-manager does not know';
  const { items } = await forecast();
  expect(items.map((item) => [item.because, item.rule, item.confidence])).toEqual(
    expect.arrayContaining([[because, 'PV-4', 'certain']]),
  );
  await plane.startControllers(['persistentvolume-binder-controller', 'statefulset-controller']);
  interface Volume {
    readonly status: { readonly phase: string; readonly message?: string };
  }
  const failed = await eventually('the volume fails', async () => {
    const path = '/api/v1/persistentvolumes/scrubbed';
    const { status } = await plane.get<Volume>(path);
    return status.phase === 'Failed' ? status : undefined;
  });
  expect(failed.message).toBe('Volume has unrecognized PersistentVolumeReclaimPolicy');
  const after = await forecast();
  expect([
    after.items,
    after.leftovers.map((one) => one.because.split(', Failed since')[0]),
  ]).toEqual([[], [because]]);
  expect(await told('audit -A --no-config --rule undeletable-volume')).toContain(
    'its reclaim policy is Scrub, which kube-controller-manager does not know; its claim shop/data is gone',
  );
});

test('of two conditions Ready of a pod the first counts', async () => {
  const sets = '/apis/apps/v1/namespaces/shop/statefulsets';
  const pods = '/api/v1/namespaces/shop/pods';
  const labels = { app: 'db' };
  await plane.create(sets, {
    metadata: { name: 'db' },
    spec: {
      replicas: 2,
      serviceName: 'db',
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'db', image: 'example.com/db' }] },
      },
    },
  });
  const report = (name: string, ...statuses: string[]) =>
    eventually(`${name} is made`, async () => {
      const { status } = await plane.request(`${pods}/${name}`);
      if (status !== 200) return undefined;
      const conditions = statuses.map((ready) => ({ type: 'Ready', status: ready }));
      await plane.patch(`${pods}/${name}/status`, { status: { phase: 'Running', conditions } });
      return true;
    });
  const spec = { replicas: 1 };
  const patch = { verb: 'patch', apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'shop' };
  const scenario = { requests: [{ ...patch, name: 'db', patch: { spec } }] };
  const file = join(folder, 'scenario.json');
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: 'kubectl-gc/v1', kind: 'Scenario', ...scenario }),
  );
  const goesInSimulation = async () => {
    const { steps } = JSON.parse(await told(`simulate --scenario ${file} -o json`)) as {
      readonly steps: readonly { readonly object: { readonly name: string } }[];
    };
    return steps.some(({ object }) => object.name === 'db-1');
  };
  await report('db-0', 'True');
  await report('db-1', 'True');
  expect(await goesInSimulation()).toBe(true);
  await report('db-0', 'False', 'True');
  expect(await goesInSimulation()).toBe(false);
  await plane.patch(`${sets}/db`, { spec });
  interface Observed {
    readonly metadata: { readonly generation: number };
    readonly status: { readonly observedGeneration?: number };
  }
  await eventually('the controller has seen it', async () => {
    const { metadata, status } = await plane.get<Observed>(`${sets}/db`);
    return status.observedGeneration === metadata.generation;
  });
  expect((await plane.request(`${pods}/db-1`)).status).toBe(200);
  await report('db-0', 'True', 'False');
  await eventually('the last pod goes', async () => {
    const { status } = await plane.request(`${pods}/db-1`);
    return status === 404;
  });
  await plane.stopControllers();
});

const resources = '/apis/resource.k8s.io/v1';
const claims = `${resources}/namespaces/default/resourceclaims`;
const pods = '/api/v1/namespaces/default/pods';
const driver = 'gpu.example.com';

async function user(name: string, tolerations: readonly object[]): Promise<void> {
  const exactly = { deviceClassName: 'gpu' };
  await plane.make(`ResourceClaim default/${name}`, {
    spec: { devices: { requests: [{ name: 'gpu', exactly }] } },
  });
  const pod = await plane.create<KubeObject>(pods, {
    metadata: { name },
    spec: {
      nodeName: 'w1',
      containers: [{ name: 'main', image: 'example.com/main' }],
      resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
    },
  });
  const results = [{ request: 'gpu', driver, pool: 'w1', device: name, tolerations }];
  await plane.patch(`${claims}/${name}/status`, {
    status: {
      allocation: { devices: { results } },
      reservedFor: [{ resource: 'pods', name, uid: pod.metadata.uid }],
    },
  });
}

test('pods go from tainted devices that their claims do not tolerate, as forecast', async () => {
  const taints = [{ key: 'example.com/broken', effect: 'NoExecute' }];
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

  const forecast = await told('forecast -n default --collector device-taint-eviction -o json');
  const { items } = JSON.parse(forecast) as {
    items: { object: { name: string }; action: string; notBefore: string; rule: string }[];
  };
  const due = items
    .filter(({ action }) => action === 'delete')
    .map(({ object, rule, notBefore }) => {
      const minutes = Math.round((Date.parse(notBefore) - Date.now()) / 60_000);
      return `${object.name} ${rule} ${Math.abs(minutes)} min`;
    });
  expect(due.sort()).toEqual(['intolerant DEV-1 0 min', 'patient DEV-2 60 min']);

  await plane.startControllers(['device-taint-eviction-controller']);
  const going = async () => {
    const { items: found } = await plane.get<{ items: KubeObject[] }>(pods);
    return found.flatMap(({ metadata }) => (metadata.deletionTimestamp ? [metadata.name] : []));
  };
  await eventually('one is evicted', async () => (await going()).length > 0);
  expect(await going()).toEqual(['intolerant']);
  await plane.stopControllers();
});

const sets = '/apis/apps/v1/namespaces/default/replicasets';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const protection = 'resource.kubernetes.io/delete-protection';

async function namesAt(path: string): Promise<string[]> {
  const { items } = await plane.get<{ items: KubeObject[] }>(path);
  return items.map(({ metadata }) => String(metadata.name)).sort();
}

const forecast = async () => {
  const collectors = 'replicaset-history,resourceclaim';
  const { items } = JSON.parse(
    await told(`forecast -n default --collector ${collectors} -o json`),
  ) as {
    items: { object: { name: string }; action: string }[];
  };
  return items.flatMap(({ object, action }) => (action === 'delete' ? object.name : [])).sort();
};

const podSpec = (image: string) => ({
  containers: [{ name: 'main', image: `example.com/${image}` }],
});

test('a paused Deployment whose template is new, and claims that nothing uses, end as forecast', async () => {
  const labels = { app: 'web' };
  const template = (image: string) => ({
    spec: { template: { metadata: { labels }, spec: podSpec(image) } },
  });
  await plane.make('Deployment default/web', {
    spec: { replicas: 0, selector: { matchLabels: labels }, ...template('a').spec },
  });
  await plane.startControllers(['deployment-controller', 'replicaset-controller']);
  const haveSets = (count: number) =>
    eventually(`${count} ReplicaSets`, async () => (await namesAt(sets)).length === count);
  await haveSets(1);
  await plane.patch(`${deployments}/web`, template('b'));
  await haveSets(2);
  await plane.stopControllers();
  const [first, second] = await namesAt(sets);
  const paused = { paused: true, revisionHistoryLimit: 1, ...template('c').spec };
  await plane.patch(`${deployments}/web`, { spec: paused });

  const made = await plane.create<KubeObject>(pods, {
    metadata: { name: 'done' },
    spec: { nodeName: 'w1', ...podSpec('a') },
  });
  await plane.patch(`${pods}/done/status`, { status: { phase: 'Succeeded' } });
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'done', uid: made.metadata.uid };
  const spec = { devices: {} };
  await plane.make('ResourceClaim default/of-done', {
    metadata: { ownerReferences: [{ ...owner, controller: true }] },
    spec,
  });
  await plane.make('ResourceClaim default/idle', { metadata: { finalizers: [protection] }, spec });
  await plane.patch(`${claims}/idle/status`, { status: { allocation: { devices: {} } } });
  await plane.request(`${claims}/idle`, { method: 'DELETE' });

  const before = [first, second, 'idle', 'of-done'];
  const expected = await forecast();
  await plane.startControllers([
    'deployment-controller',
    'replicaset-controller',
    'resourceclaim-controller',
  ]);
  const left = async () => {
    const there = [...(await namesAt(sets)), ...(await namesAt(claims))];
    return there.filter((name) => before.includes(name));
  };
  await eventually('three are gone', async () => (await left()).length === 1);
  const stays = await left();
  const gone = before.filter((name) => !stays.includes(String(name)));
  expect([...expected, 'idle'].sort()).toEqual(gone.sort());
  await plane.stopControllers();
});
