import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: 'none' });
});
afterAll(() => plane?.stop());

const resources = '/apis/resource.k8s.io/v1';
const claims = `${resources}/namespaces/default/resourceclaims`;
const pods = '/api/v1/namespaces/default/pods';
const driver = 'gpu.example.com';

async function user(name: string, tolerations: readonly object[]): Promise<void> {
  const exactly = { deviceClassName: 'gpu' };
  await plane.create(claims, {
    metadata: { name },
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
  await plane.create(`${resources}/resourceslices`, {
    metadata: { name: 'w1' },
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

  const line = 'forecast -n default --collector device-taint-eviction -o json';
  const { stdout } = await gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });
  const { items } = JSON.parse(stdout) as {
    items: { object: { name: string }; action: string; notBefore: string; rule: string }[];
  };
  const told = items
    .filter(({ action }) => action === 'delete')
    .map(({ object, rule, notBefore }) => {
      const minutes = Math.round((Date.parse(notBefore) - Date.now()) / 60_000);
      return `${object.name} ${rule} ${Math.abs(minutes)} min`;
    });
  expect(told.sort()).toEqual(['intolerant DEV-1 0 min', 'patient DEV-2 60 min']);

  await plane.startControllers(['device-taint-eviction-controller']);
  const going = async () => {
    const { items: found } = await plane.get<{ items: KubeObject[] }>(pods);
    return found.flatMap(({ metadata }) => (metadata.deletionTimestamp ? [metadata.name] : []));
  };
  await eventually('one is evicted', async () => (await going()).length > 0 || undefined);
  expect(await going()).toEqual(['intolerant']);
});
