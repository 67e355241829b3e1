import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gc } from '../support/run-gc.ts';
import { leftWithoutBackend } from './left-without-backend.ts';

const plane = await ownControlPlane({ controllers: ['*'] });

const uidOf = async (path: string) => {
  const answer = await plane.request(path);
  return answer.status === 200 ? (JSON.parse(answer.body) as KubeObject).metadata.uid : undefined;
};
/** Until an object of another uid is there. */
const untilMadeAgain = (path: string, before: unknown) =>
  eventually(`another ${path}`, async () => {
    const uid = await uidOf(path);
    return uid === before ? undefined : uid;
  });

/** `Service web deleted`, one for each object of the plan. */
async function planOf(target: string): Promise<string[]> {
  const { stdout, stderr } = await gc(`delete ${target} --preview -o json`, {
    env: { KUBECONFIG: plane.kubeconfigPath },
  });
  expect(stdout, stderr).not.toBe('');
  const { objects } = JSON.parse(stdout) as {
    objects: { kind: string; name: string; fate: string }[];
  };
  return objects.map(({ kind, name, fate }) => `${kind} ${name} ${fate}`);
}

test('the addresses of a Service go with it, and come back while it is there, as planned', async () => {
  const services = '/api/v1/namespaces/default/services';
  const made = await plane.make('Service default/web', { spec: { ports: [{ port: 80 }] } });
  const { clusterIP } = made.spec as { clusterIP: string };
  const address = `/apis/networking.k8s.io/v1/ipaddresses/${clusterIP}`;
  const first = await uidOf(address);
  expect(await planOf(`ipaddress/${clusterIP}`)).toEqual([`IPAddress ${clusterIP} recreated`]);
  await plane.request(address, { method: 'DELETE' });
  // Else within three minutes, when it looks at all Services.
  await plane.patch(`${services}/web`, { metadata: { labels: { touched: 'yes' } } });
  await untilMadeAgain(address, first);
  await plane.patch(address, { metadata: { labels: null } });
  expect(await planOf('service/web -n default')).toEqual([
    'Service web deleted',
    `IPAddress ${clusterIP} deleted`,
  ]);
  await plane.request(`${services}/web`, { method: 'DELETE' });
  await untilGone(plane, address);
});

test('the APIService of a definition goes with it, and comes back while it is there, as planned', async () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const registered = '/apis/apiregistration.k8s.io/v1/apiservices/v1.shop.example.com';
  const kinds = ['Cup', 'Jug'].map((kind) => customDefinition(kind, 'shop.example.com'));
  for (const definition of kinds) await plane.create(definitions, definition);
  const first = await eventually('it is registered', () => uidOf(registered));
  await eventually('both are served', async () => {
    const answer = await plane.request('/apis/shop.example.com/v1');
    return answer.body.includes('cups') && answer.body.includes('jugs');
  });
  expect(await planOf('apiservice/v1.shop.example.com')).toEqual([
    'APIService v1.shop.example.com recreated',
  ]);
  await plane.request(registered, { method: 'DELETE' });
  await untilMadeAgain(registered, first);
  const [cups, jugs] = ['cups', 'jugs'].map((name) => `${name}.shop.example.com`);
  expect(await planOf(`crd/${cups}`)).toEqual([`CustomResourceDefinition ${cups} deleted`]);
  await plane.request(`${definitions}/${cups}`, { method: 'DELETE' });
  await untilGone(plane, `${definitions}/${cups}`);
  expect(await planOf(`crd/${jugs}`)).toEqual([
    `CustomResourceDefinition ${jugs} deleted`,
    'APIService v1.shop.example.com deleted',
  ]);
  await plane.request(`${definitions}/${jugs}`, { method: 'DELETE' });
  await untilGone(plane, registered);
});

test('what every cluster has is made again, as planned', async () => {
  const system = '/api/v1/namespaces/kube-system';
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const { items } = await plane.get<{ items: KubeObject[] }>(leases);
  const server = items.map(({ metadata }) => `${metadata.name}`).find((one) => /^apis/.test(one));
  const flow = '/apis/flowcontrol.apiserver.k8s.io/v1';
  const kept: Readonly<Record<string, string>> = {
    'service/kubernetes -n default': '/api/v1/namespaces/default/services/kubernetes',
    'configmap/extension-apiserver-authentication -n kube-system': `${system}/configmaps/extension-apiserver-authentication`,
    'flowschema/probes': `${flow}/flowschemas/probes`,
    'prioritylevelconfiguration/workload-low': `${flow}/prioritylevelconfigurations/workload-low`,
    'namespace/kube-node-lease': '/api/v1/namespaces/kube-node-lease',
    'servicecidr/kubernetes': '/apis/networking.k8s.io/v1/servicecidrs/kubernetes',
    [`lease/${server} -n kube-system`]: `${leases}/${server}`,
  };
  const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/view';
  expect(await planOf('clusterrole/view')).toEqual(['ClusterRole view deleted']);
  const before = new Map<string, unknown>();
  for (const [target, path] of Object.entries(kept)) {
    const uid = await eventually(`${target} is there`, () => uidOf(path));
    before.set(target, uid);
    const name = target.split(' ')[0]?.split('/')[1];
    const own = (await planOf(target)).find((line) => line.split(' ')[1] === name);
    // The Service has an address of the range.
    const fate =
      name === 'kubernetes' && own?.startsWith('ServiceCIDR') ? 'terminating' : 'recreated';
    expect(`${target}: ${own?.split(' ')[2]}`).toBe(`${target}: ${fate}`);
  }
  for (const path of [...Object.values(kept), role])
    await plane.request(path, { method: 'DELETE' });
  for (const [target, path] of Object.entries(kept)) await untilMadeAgain(path, before.get(target));
  expect(await uidOf(role)).toBeUndefined();
}, 200_000);

describe('without the Service that answers', () => leftWithoutBackend(plane));

test('a built-in API stays away when its APIService is deleted', async () => {
  const path = '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps';
  const line = 'delete apiservice/v1.apps --preview -o json';
  const { stdout } = await gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });
  const { remarks } = JSON.parse(stdout) as { remarks: { code: string; message: string }[] };
  expect(remarks.flatMap(({ code, message }) => (code === 'unserved-api' ? message : []))).toEqual([
    expect.stringMatching(
      /^APIService v1\.apps is deleted: apps\/v1 is not in discovery any more until an API server starts again\. /,
    ),
  ]);
  await plane.request(path, { method: 'DELETE' });
  await eventually('apps is not in discovery', async () => {
    const { groups } = await plane.get<{ groups: { name: string }[] }>('/apis');
    return !groups.some(({ name }) => name === 'apps');
  });
  await sleep(5000);
  expect(await plane.isHealthy(path)).toBe(false);
});
