import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Run } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A snapshot of metadata alone, of a cluster in which a pod on a node uses a claim that is being deleted. */
const plane = sharedControlPlane();
const folder = temporaryFolder();
const file = join(folder, 'metadata.json');
const namespace = 'unread';
const core = `/api/v1/namespaces/${namespace}`;
const inFull = 'give the objects in full, as get -o yaml prints them';
/** When every grace period is long over. */
const later = new Date(Date.now() + 7_200_000).toISOString().replace(/\.\d+/, '');

async function ask(line: string): Promise<Run> {
  return gc(`${line} --from ${file} --now ${later}`, { env: {} });
}

beforeAll(async () => {
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
  await plane.create('/api/v1/nodes', { metadata: { name: 'unread-worker' } });
  const size = { storage: '1Gi' };
  const access = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  await plane.create('/api/v1/persistentvolumes', {
    metadata: { name: 'unread-v1' },
    spec: {
      ...access,
      capacity: size,
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/tmp/unread-v1' },
      claimRef: { namespace, name: 'c1' },
    },
  });
  await plane.create(`${core}/persistentvolumeclaims`, {
    metadata: { name: 'c1' },
    spec: { ...access, volumeName: 'unread-v1', resources: { requests: size } },
  });
  await eventually('pods may be made', async () => {
    const { status } = await plane.request(`${core}/serviceaccounts/default`);
    return status === 200 ? status : undefined;
  });
  for (const name of ['web', 'late']) {
    await plane.create(`${core}/pods`, {
      metadata: { name },
      spec: {
        nodeName: 'unread-worker',
        containers: [{ name: 'main', image: 'example.com/web:1' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c1' } }],
      },
    });
  }
  await eventually('the claim is bound', async () => {
    const { status } = await plane.get<KubeObject>(`${core}/persistentvolumeclaims/c1`);
    const { phase } = status as { readonly phase?: string };
    return phase === 'Bound' ? phase : undefined;
  });
  for (const path of [
    `${core}/pods/late`,
    `${core}/persistentvolumeclaims/c1`,
    '/api/v1/persistentvolumes/unread-v1',
  ]) {
    await plane.request(path, { method: 'DELETE' });
  }
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const saved = await gc(`snapshot save ${file} --metadata-only`, { env });
  expect(saved.code, saved.stderr).toBe(0);
});
afterAll(async () => {
  const now = { method: 'DELETE', body: { gracePeriodSeconds: 0 } };
  for (const name of ['web', 'late']) await plane.request(`${core}/pods/${name}`, now);
});

test('the cluster itself says that pods use the claim', async () => {
  const run = await gc(`why pvc/c1 -n ${namespace}`, {
    env: { KUBECONFIG: plane.kubeconfigPath },
  });
  expect(run.stdout).toContain('kubernetes.io/pvc-protection waits for 2 pods that use the claim');
});

test('why does not know whether the claim and the volume are in use, and --fix takes nothing off', async () => {
  const run = await ask(`why pvc/c1 pv/unread-v1 -n ${namespace} --fix`);
  expect([run.code, run.stdout.split(': ')[0]]).toEqual([
    3,
    `PersistentVolumeClaim/c1 in ${namespace} may be stuck; not everything could be read`,
  ]);
  expect(run.stdout).toContain(
    'waits for the pods that use the claim; what the pods use was not read',
  );
  expect(run.stdout).toContain(
    'waits while the volume is bound to a claim; whether it is was not read',
  );
  expect(run.stderr).toContain('it was not read whether what it protects is in use');
  expect(run.stderr).toContain(inFull);
  expect(run.stdout + run.stderr).not.toMatch(/none known|Step|kubectl patch|no pod/);
});

test('why does not call an overdue pod right', async () => {
  const run = await ask(`why pod/late -n ${namespace}`);
  expect(run.stdout).toContain(
    `Pod/late in ${namespace} may be stuck; not everything could be read`,
  );
  expect(run.stdout).toContain('it was not read which node the pod is on');
  expect(run.stdout).toContain(inFull);
  expect(run.stdout).not.toContain('nothing is wrong');
});

test('audit warns that it is unknown what holds them, and is not clean', async () => {
  const run = await ask(`audit -n ${namespace} -o json`);
  expect(run.code).toBe(3);
  const { items } = JSON.parse(run.stdout) as {
    items: { rule: string; severity: string; cause?: string; object: { name: string } }[];
  };
  const about = items.filter(({ rule }) => rule === 'stuck-object');
  expect(about.map(({ object, severity, cause }) => [object.name, severity, cause])).toEqual([
    ['c1', 'warning', 'claim-in-use'],
    ['late', 'warning', 'pod-kubelet'],
  ]);
  expect(items.filter(({ severity }) => severity === 'error')).toEqual([]);
  const table = await ask(`audit -n ${namespace}`);
  expect(table.stderr).toContain(
    'stuck-object: 1 object not checked: could not be read: pods in unread',
  );
  expect(table.stderr).toContain('Not everything could be read, so this is not clean.');
});

test('forecast and podgc-preview say that nothing can be said', async () => {
  const forecast = await ask(`forecast -n ${namespace}`);
  expect([forecast.code, forecast.stdout]).toEqual([0, '']);
  expect(forecast.stderr).toContain('only metadata was read, so it is unknown what these do');
  expect(forecast.stderr).toContain(
    'No deletions found in unread namespace in what could be read.',
  );
  const preview = await ask(`podgc-preview -n ${namespace}`);
  expect([preview.code, preview.stdout]).toEqual([0, '']);
  expect(preview.stderr).toMatch(/Of (\d+) of \1 pods only metadata was read/);
  expect(preview.stderr).toMatch(
    /unscheduled: 0 \(.*; unknown for \d+ pods whose spec was not read\)/,
  );
});

test('delete --preview says what was not read', async () => {
  const run = await ask(`delete pvc/c1 pod/web pod/late -n ${namespace} --preview`);
  expect(run.code, run.stderr).toBe(0);
  expect(run.stdout).toMatch(
    /^1 object goes: 1 Pod; 2 hang on .*: 1 PersistentVolumeClaim, 1 Pod\.$/m,
  );
  expect(run.stdout).toContain('it was not read which node it is on: on none it is gone at once');
  expect(run.stdout).toContain('it was not read which node it is on, whose kubelet has to confirm');
  expect(run.stdout).not.toMatch(/nothing holds it|does not exist/);
});
