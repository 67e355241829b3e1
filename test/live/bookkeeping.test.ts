import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import type { OrphansReport } from '../../src/questions/orphans/document.ts';
import { webhookFor } from '../support/admission.ts';
import { askingOf } from '../support/asking.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { makeDeadApi } from '../support/served-kinds.ts';
import { claimSpec } from '../support/volumes.ts';
import { workload } from '../support/workload.ts';

/** What controllers make for others, and make again, on a control plane with all of them. */
const plane = await ownControlPlane({ controllers: ['*'] });
const { json, fates } = askingOf(plane);

const uidOf = async (path: string) => (await plane.find(path))?.metadata.uid;
/** Until an object of another uid is there. */
const untilMadeAgain = (path: string, before: unknown) =>
  eventually(`another ${path}`, async () => {
    const uid = await uidOf(path);
    return uid === before ? undefined : uid;
  });
const messagesOf = async (target: string, isMeant: (remark: Plan['remarks'][number]) => boolean) =>
  (await json<Plan>(`delete ${target} --preview`)).remarks
    .filter(isMeant)
    .map(({ message }) => message);

test('the addresses of a Service are deleted with it, and recreated while it exists, as planned', async () => {
  const made = await plane.make('Service default/web', { spec: { ports: [{ port: 80 }] } });
  const { clusterIP } = made.spec as { clusterIP: string };
  const address = `/apis/networking.k8s.io/v1/ipaddresses/${clusterIP}`;
  const first = await uidOf(address);
  expect(await fates(`ipaddress/${clusterIP}`)).toEqual([`IPAddress ${clusterIP} recreated`]);
  await plane.remove(address);
  // Else within three minutes, when it looks at all Services.
  await plane.patch('Service default/web', { metadata: { labels: { touched: 'yes' } } });
  await untilMadeAgain(address, first);
  await plane.patch(address, { metadata: { labels: null } });
  expect(await fates('service/web -n default')).toEqual([
    'Service web deleted',
    `IPAddress ${clusterIP} deleted`,
  ]);
  await plane.remove('Service default/web');
  await untilGone(plane, address);
});

test('the APIService of a definition is deleted with it, and recreated while it exists, as planned', async () => {
  const registered = 'APIService v1.shop.example.com';
  for (const kind of ['Cup', 'Jug'])
    await plane.create('CustomResourceDefinition ', customDefinition(kind, 'shop.example.com'));
  const first = await eventually('it is registered', () => uidOf(registered));
  await eventually('both are served', async () => {
    const { body } = await plane.request('/apis/shop.example.com/v1');
    return body.includes('cups') && body.includes('jugs');
  });
  expect(await fates('apiservice/v1.shop.example.com')).toEqual([`${registered} recreated`]);
  await plane.remove(registered);
  await untilMadeAgain(registered, first);
  const [cups, jugs] = ['cups', 'jugs'].map(
    (name) => `CustomResourceDefinition ${name}.shop.example.com`,
  ) as [string, string];
  expect(await fates('crd/cups.shop.example.com')).toEqual([`${cups} deleted`]);
  await plane.remove(cups);
  await untilGone(plane, cups);
  expect(await fates('crd/jugs.shop.example.com')).toEqual([
    `${jugs} deleted`,
    `${registered} deleted`,
  ]);
  await plane.remove(jugs);
  await untilGone(plane, registered);
});

test('claims of ephemeral volumes are recreated for their pods, also for one that has ended, as planned', async () => {
  const claims = 'PersistentVolumeClaim default/';
  for (const name of ['web', 'done']) {
    await plane.make(`Pod default/${name}`, {
      spec: {
        containers: [{ name: 'main', image: 'example.com/main' }],
        volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }],
      },
    });
  }
  await plane.report('Pod default/done', { phase: 'Succeeded' });
  const untilThere = (earlier: readonly unknown[] = []) =>
    eventually('two claims', async () => {
      const uids = (await plane.list(claims)).map(({ metadata }) => metadata.uid);
      return uids.length === 2 && !uids.some((uid) => earlier.includes(uid)) ? uids : undefined;
    });
  const first = await untilThere();
  expect(await fates('pvc/web-scratch pvc/done-scratch -n default')).toEqual([
    'PersistentVolumeClaim web-scratch recreated',
    'PersistentVolumeClaim done-scratch recreated',
  ]);
  for (const name of ['web', 'done']) await plane.remove(`${claims}${name}-scratch`);
  await untilThere(first);
});

test('of the generations of kustomize, those are listed that the history names, or nothing', async () => {
  const [first, second, unnamed] = ['5h2m8k9b4t', '7c6d2f8g9h', 'k8t2m4b6c9'].map(
    (hash) => `settings-${hash}`,
  ) as [string, string, string];
  await plane.make('Namespace generations');
  for (const name of [first, second, unnamed]) await plane.make(`ConfigMap generations/${name}`);
  const labels = { app: 'web' };
  const template = (name: string) => ({
    metadata: { labels },
    spec: { containers: [{ name: 'a', image: 'a', envFrom: [{ configMapRef: { name } }] }] },
  });
  await plane.make('Deployment generations/web', {
    spec: { replicas: 0, selector: { matchLabels: labels }, template: template(first) },
  });
  const haveSets = (count: number) =>
    eventually(`${count} ReplicaSets`, async () => {
      const names = await plane.names('ReplicaSet generations/');
      return names.length === count ? names : undefined;
    });
  const [old] = await haveSets(1);
  await plane.patch('Deployment generations/web', { spec: { template: template(second) } });
  await haveSets(2);
  const { items } = await json<OrphansReport>('orphans -n generations --generations');
  const made = 'kustomize made it as one of 3 generations of settings; Deployment web names';
  expect(
    items.map(({ object, owners, gc: { because } }) => `${object.name} ${owners}: ${because}`),
  ).toEqual([
    `${first} old-generation: ${made} ${second}; only ReplicaSet ${old} names this one, for a rollback`,
    expect.stringMatching(
      `^${unnamed} old-generation: ${made} ${second}; nothing in its namespace`,
    ),
  ]);
});

test('objects of every cluster are recreated, as planned', async () => {
  const leases = await plane.names('Lease kube-system/');
  const server = leases.find((one) => /^apis/.test(one));
  const kept: Readonly<Record<string, string>> = {
    'service/kubernetes -n default': 'Service default/kubernetes',
    'configmap/extension-apiserver-authentication -n kube-system':
      'ConfigMap kube-system/extension-apiserver-authentication',
    'flowschema/probes': 'FlowSchema probes',
    'prioritylevelconfiguration/workload-low': 'PriorityLevelConfiguration workload-low',
    'namespace/kube-node-lease': 'Namespace kube-node-lease',
    'servicecidr/kubernetes': 'ServiceCIDR kubernetes',
    [`lease/${server} -n kube-system`]: `Lease kube-system/${server}`,
  };
  expect(await fates('clusterrole/view')).toEqual(['ClusterRole view deleted']);
  const before = new Map<string, unknown>();
  for (const [target, path] of Object.entries(kept)) {
    before.set(path, await eventually(`${path} is there`, () => uidOf(path)));
    const name = target.split(' ')[0]?.split('/')[1];
    const own = (await fates(target)).find((line) => line.split(' ')[1] === name);
    // The Service has an address of the range.
    const fate =
      name === 'kubernetes' && own?.startsWith('ServiceCIDR') ? 'terminating' : 'recreated';
    expect(`${target}: ${own?.split(' ')[2]}`).toBe(`${target}: ${fate}`);
  }
  for (const path of [...before.keys(), 'ClusterRole view']) await plane.remove(path);
  for (const [path, uid] of before) await untilMadeAgain(path, uid);
  expect(await uidOf('ClusterRole view')).toBeUndefined();
}, 200_000);

/** No namespace is deleted to its end on this control plane any more. */
describe('without the Service that answers', () => {
  test('a preview names what asks it, and the order to use', async () => {
    for (const name of ['hooks', 'shop'])
      await plane.make(`Namespace ${name}`, { metadata: { labels: { name } } });
    const spec = { selector: { app: 'hook' }, ports: [{ port: 443 }] };
    await plane.make('Service hooks/hook', { spec });
    await plane.make('Deployment hooks/hook', workload('hook', { replicas: 1 }));
    await eventually('its pod', async () => (await plane.names('Pod hooks/')).length === 1);
    const service = { namespace: 'hooks', name: 'hook' };
    const more = { service, insecureSkipTLSVerify: true };
    await makeDeadApi(plane, 'things.example.org', 'v1', more);
    const webhook = webhookFor('*', 'configmaps', {
      clientConfig: { service },
      namespaceSelector: { matchLabels: { name: 'shop' } },
    });
    await plane.make('ValidatingWebhookConfiguration checks', webhook);
    for (const [target, how] of [
      ['deployment/hook -n hooks', 'loses all of its pods'],
      ['service/hook -n hooks', 'is deleted'],
      ['namespace/hooks', 'is deleted'],
    ] as const)
      expect(await messagesOf(target, ({ message }) => message.includes('asks it'))).toEqual([
        `Service hooks/hook ${how}, and ValidatingWebhookConfiguration checks, which asks it, stays: the API server refuses all that it would ask it about. To delete it as well, delete it first.`,
        `Service hooks/hook ${how}, and APIService v1.things.example.org, which asks it, stays: its API does not answer any more, and while discovery fails for it no namespace is deleted to its end. To delete it as well, delete it first.`,
      ]);
  });

  test('the API server refuses what it would ask about, and a namespace does not end', async () => {
    await plane.remove('Service hooks/hook');
    const refused = plane.make('ConfigMap shop/a');
    await expect(refused).rejects.toThrow(/failed calling webhook .*service .*hook.* not found/);
    await plane.make('Namespace ending');
    await plane.remove('Namespace ending');
    const condition = await eventually('the namespace condition', async () => {
      const { status } = await plane.get('Namespace ending');
      const { conditions } = status as { conditions?: { type: string; status: string }[] };
      return conditions?.find(({ type }) => type === 'NamespaceDeletionDiscoveryFailure');
    });
    expect(condition.status).toBe('True');
  });
});

test('a built-in API stays away when its APIService is deleted', async () => {
  expect(await messagesOf('apiservice/v1.apps', ({ code }) => code === 'unserved-api')).toEqual([
    expect.stringMatching(
      /^APIService v1\.apps is deleted: apps\/v1 is not in discovery any more until an API server starts again\. /,
    ),
  ]);
  await plane.remove('APIService v1.apps');
  await eventually('discovery without apps', async () => {
    const { groups } = await plane.get<{ groups: { name: string }[] }>('/apis');
    return !groups.some(({ name }) => name === 'apps');
  });
  await sleep(5000);
  expect(await plane.isHealthy('APIService v1.apps')).toBe(false);
});
