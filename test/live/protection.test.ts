import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';

const controllers = ['service-cidr-controller', 'volumeattributesclass-protection-controller'];
let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ controllers });
});
afterAll(() => plane?.stop());

const classes = '/apis/storage.k8s.io/v1/volumeattributesclasses';
const ranges = '/apis/networking.k8s.io/v1/servicecidrs';
const namespace = '/api/v1/namespaces/default';

const found = async (path: string) => {
  const answer = await plane.request(path);
  return answer.status === 200 ? (JSON.parse(answer.body) as KubeObject) : undefined;
};

/** What a preview says of an object that is to be deleted. */
async function fateOf(target: string): Promise<string> {
  const line = `delete ${target} --preview -o json`;
  const { stdout } = await gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });
  const { objects } = JSON.parse(stdout) as { objects: { name: string; fate: string }[] };
  return objects.map(({ name, fate }) => `${name} ${fate}`).join(', ');
}

test('classes and ranges lose their protection when nothing uses them, as planned', async () => {
  for (const name of ['unused', 'named']) {
    const parameters = { speed: 'high' };
    await plane.create(classes, { metadata: { name }, driverName: 'disk.example.com', parameters });
  }
  await plane.create(`${namespace}/persistentvolumeclaims`, {
    metadata: { name: 'data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      volumeAttributesClassName: 'named',
      resources: { requests: { storage: '1Gi' } },
    },
  });
  await plane.create(ranges, { metadata: { name: 'free' }, spec: { cidrs: ['10.5.0.0/24'] } });
  await plane.create(ranges, { metadata: { name: 'taken' }, spec: { cidrs: ['10.6.0.0/24'] } });
  await eventually('a Service has an address of the range', async () => {
    const service = {
      metadata: { name: 'web' },
      spec: { clusterIP: '10.6.0.7', ports: [{ port: 80 }] },
    };
    // Until the controller has said that the range is ready, it is refused.
    const made = plane.create(`${namespace}/services`, service);
    return made.then(() => true).catch(() => undefined);
  });
  const all = [`${classes}/unused`, `${classes}/named`, `${ranges}/free`, `${ranges}/taken`];
  await eventually('all are protected', async () => {
    const objects = await Promise.all(all.map(found));
    return objects.every((object) => object?.metadata.finalizers) || undefined;
  });

  const told = [
    await fateOf('volumeattributesclass/unused'),
    await fateOf('volumeattributesclass/named'),
    await fateOf('servicecidr/free'),
    await fateOf('servicecidr/taken'),
  ];
  expect(told).toEqual([
    'unused deleted',
    'named terminating',
    'free deleted',
    'taken terminating',
  ]);

  for (const path of all) await plane.request(path, { method: 'DELETE' });
  await eventually('two are gone', async () => {
    const gone = [await found(`${classes}/unused`), await found(`${ranges}/free`)];
    return gone.every((object) => object === undefined) || undefined;
  });
  const held = await Promise.all([`${classes}/named`, `${ranges}/taken`].map(found));
  expect(held.map((object) => object?.metadata.deletionTimestamp !== undefined)).toEqual([
    true,
    true,
  ]);
});
