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

/** What the API server keeps, and controllers have to decide about, although few clients write it. */
const plane = await ownControlPlane({ controllers: 'none', objects: [scrubbed] });
beforeAll(async () => {
  await plane.create('/api/v1/namespaces', { metadata: { name: 'shop' } });
  await plane.create('/api/v1/namespaces/shop/serviceaccounts', { metadata: { name: 'default' } });
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
    return status.observedGeneration === metadata.generation || undefined;
  });
  expect((await plane.request(`${pods}/db-1`)).status).toBe(200);
  await report('db-0', 'True', 'False');
  await eventually('the last pod goes', async () => {
    const { status } = await plane.request(`${pods}/db-1`);
    return status === 404 || undefined;
  });
});
