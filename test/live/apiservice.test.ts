import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: 'none' });
});
afterAll(() => plane?.stop());

const services = '/apis/apiregistration.k8s.io/v1/apiservices';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const remarkOn = async (name: string): Promise<string[]> => {
  const line = `delete apiservice/${name} --preview -o json`;
  const { stdout } = await gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });
  const { remarks } = JSON.parse(stdout) as { remarks: { code: string; message: string }[] };
  return remarks.flatMap(({ code, message }) => (code === 'unserved-api' ? message : []));
};

test('a built-in API stays away when its APIService is deleted, and that of a definition comes back', async () => {
  const names = { plural: 'shops', singular: 'shop', kind: 'Shop', listKind: 'ShopList' };
  const schema = { openAPIV3Schema: { type: 'object' } };
  await plane.create(definitions, {
    metadata: { name: 'shops.shop.example.com' },
    spec: {
      group: 'shop.example.com',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await eventually('the kind is served', async () => {
    return (await plane.isHealthy(`${services}/v1.shop.example.com`)) || undefined;
  });
  expect([...(await remarkOn('v1.apps')), ...(await remarkOn('v1.shop.example.com'))]).toEqual([
    'APIService v1.apps is deleted: apps/v1 is not in discovery any more until an API server starts again. No object that was read is of it alone.',
    'APIService v1.shop.example.com is deleted, and an API server registers it again: shop.example.com/v1 is not in discovery for a moment.',
  ]);
  for (const name of ['v1.apps', 'v1.shop.example.com'])
    await plane.request(`${services}/${name}`, { method: 'DELETE' });
  const groups = async () => {
    const { groups: all } = await plane.get<{ groups: { name: string }[] }>('/apis');
    return all.map(({ name }) => name);
  };
  await eventually('apps is not in discovery', async () => {
    return !(await groups()).includes('apps') || undefined;
  });
  await eventually('the other one is back', async () => {
    return (await plane.isHealthy(`${services}/v1.shop.example.com`)) || undefined;
  });
  await sleep(5000);
  expect(await plane.isHealthy(`${services}/v1.apps`)).toBe(false);
});
