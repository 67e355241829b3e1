import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { podGroupVersion } from '../support/played-minor.ts';
import { gc } from '../support/run-gc.ts';
import { claimSpec } from '../support/volumes.ts';

const controllers = [
  'persistentvolumeclaim-protection-controller',
  'podgroup-protection-controller',
  'service-cidr-controller',
  'volumeattributesclass-protection-controller',
];
const gates = '--feature-gates=GenericWorkload=true,PersistentVolumeClaimUnusedSinceTime=true';
let plane: ControlPlane;
beforeAll(async () => {
  const apiServerArgs = [gates, `--runtime-config=scheduling.k8s.io/${podGroupVersion}=true`];
  plane = await startControlPlane({ controllers, apiServerArgs, controllerArgs: [gates] });
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
    await plane.make(`VolumeAttributesClass ${name}`, {
      driverName: 'disk.example.com',
      parameters,
    });
  }
  await plane.make('PersistentVolumeClaim default/data', {
    spec: { ...claimSpec, volumeAttributesClassName: 'named' },
  });
  await plane.make('ServiceCIDR free', { spec: { cidrs: ['10.5.0.0/24'] } });
  await plane.make('ServiceCIDR taken', { spec: { cidrs: ['10.6.0.0/24'] } });
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
    return objects.every((object) => object?.metadata.finalizers);
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
    return gone.every((object) => object === undefined);
  });
  const held = await Promise.all([`${classes}/named`, `${ranges}/taken`].map(found));
  expect(held.map((object) => object?.metadata.deletionTimestamp !== undefined)).toEqual([
    true,
    true,
  ]);
});

test('a claim says since when no pod has used it', async () => {
  const path = `${namespace}/persistentvolumeclaims/idle`;
  await plane.make('PersistentVolumeClaim default/idle', { spec: claimSpec });
  // From v1.37 on only claims that are bound have it.
  await plane.patch(`${path}/status`, { status: { phase: 'Bound' } });
  const since = await eventually('its condition is set', async () => {
    const { status } = await plane.get<KubeObject>(path);
    const { conditions = [] } = (status ?? {}) as {
      conditions?: { type: string; lastTransitionTime: string }[];
    };
    return conditions.find(({ type }) => type === 'Unused')?.lastTransitionTime;
  });
  const { stdout } = await gc('why pvc/idle -n default', {
    env: { KUBECONFIG: plane.kubeconfigPath },
  });
  expect(stdout).toContain(`its condition Unused says since ${since}: NoPodsUsingPVC`);
});

test('a PodGroup loses its protection when none of its pods is left, as planned', async () => {
  const groups = `/apis/scheduling.k8s.io/${podGroupVersion}/namespaces/default/podgroups`;
  const containers = [{ name: 'main', image: 'example.com/main' }];
  for (const name of ['free', 'crew']) {
    await plane.create(groups, { metadata: { name }, spec: { schedulingPolicy: { basic: {} } } });
  }
  await plane.make('ServiceAccount default/default');
  await plane.make('Pod default/member', {
    spec: { nodeName: 'w1', containers, schedulingGroup: { podGroupName: 'crew' } },
  });
  const told = [await fateOf('podgroup/free'), await fateOf('podgroup/crew')];
  expect(told).toEqual(['free deleted', 'crew terminating']);
  expect(await fateOf('podgroup/crew pod/member --grace-period=0 --force')).toBe(
    'crew deleted, member deleted',
  );
  for (const name of ['free', 'crew']) {
    await plane.request(`${groups}/${name}`, { method: 'DELETE' });
  }
  await untilGone(plane, `${groups}/free`);
  expect((await found(`${groups}/crew`))?.metadata.deletionTimestamp).toBeDefined();
  await plane.request(`${namespace}/pods/member?gracePeriodSeconds=0`, { method: 'DELETE' });
  await untilGone(plane, `${groups}/crew`);
});
