import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import { askingOf } from '../support/asking.ts';
import { showManager } from '../support/control-plane-pod.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { podGroupVersion } from '../support/played-minor.ts';
import { claimSpec } from '../support/volumes.ts';

/** Finalizers that controllers remove when nothing uses an object any more. */
const working = [
  'persistentvolumeclaim-protection-controller',
  'podgroup-protection-controller',
  'service-cidr-controller',
  'volumeattributesclass-protection-controller',
  'garbage-collector-controller',
];
const claimsOfGroups = 'resourceclaim-controller';
const unusedSince = ',PersistentVolumeClaimUnusedSinceTime=true';
const gates = `--feature-gates=GenericWorkload=true,DRAWorkloadResourceClaims=true`;
const plane = await ownControlPlane({
  controllers: [...working, claimsOfGroups],
  apiServerArgs: [
    `${gates}${unusedSince}`,
    `--runtime-config=scheduling.k8s.io/${podGroupVersion}=true`,
  ],
  controllerArgs: [`${gates}${unusedSince}`],
});
const { run, json, fates } = askingOf(plane);
const group = (name: string) => `scheduling.k8s.io/${podGroupVersion} PodGroup default/${name}`;
const isGoing = async (path: string) => (await plane.get(path)).metadata.deletionTimestamp;

test('classes and ranges lose their protection when nothing uses them, as planned', async () => {
  for (const name of ['unused', 'named'])
    await plane.make(`VolumeAttributesClass ${name}`, {
      driverName: 'disk.example.com',
      parameters: { speed: 'high' },
    });
  await plane.make('PersistentVolumeClaim default/data', {
    spec: { ...claimSpec, volumeAttributesClassName: 'named' },
  });
  await plane.make('ServiceCIDR free', { spec: { cidrs: ['10.5.0.0/24'] } });
  await plane.make('ServiceCIDR taken', { spec: { cidrs: ['10.6.0.0/24'] } });
  // Until the controller has said that the range is ready, it is refused.
  const spec = { clusterIP: '10.6.0.7', ports: [{ port: 80 }] };
  await eventually('an address of the range', () =>
    plane.make('Service default/web', { spec }).catch(() => undefined),
  );
  const free = ['VolumeAttributesClass unused', 'ServiceCIDR free'];
  const used = ['VolumeAttributesClass named', 'ServiceCIDR taken'];
  for (const path of [...free, ...used])
    await eventually('it is protected', async () => (await plane.get(path)).metadata.finalizers);
  const planned = (path: string) => fates(path.toLowerCase().replace(' ', '/'));
  for (const path of free) expect(await planned(path)).toEqual([`${path} deleted`]);
  for (const path of used) expect(await planned(path)).toEqual([`${path} terminating`]);
  for (const path of [...free, ...used]) await plane.remove(path);
  for (const path of free) await untilGone(plane, path);
  for (const path of used) expect(await isGoing(path)).toBeDefined();
});

test('a claim says since when no pod has used it', async () => {
  const idle = 'PersistentVolumeClaim default/idle';
  await plane.make(idle, { spec: claimSpec });
  // From v1.37 on only claims that are bound have it.
  await plane.report(idle, { phase: 'Bound' });
  const since = await eventually('its condition is set', async () => {
    const { conditions = [] } = (await plane.get(idle)).status as {
      conditions?: { type: string; lastTransitionTime: string }[];
    };
    return conditions.find(({ type }) => type === 'Unused')?.lastTransitionTime;
  });
  const { stdout } = await run('why pvc/idle -n default');
  expect(stdout).toContain('its status reported Unused True (NoPodsUsingPVC)');
  expect(stdout).toContain(`at ${since}: `);
});

test('a PodGroup loses its protection when none of its pods is left, as planned', async () => {
  const containers = [{ name: 'main', image: 'example.com/main' }];
  for (const name of ['free', 'crew'])
    await plane.make(group(name), { spec: { schedulingPolicy: { basic: {} } } });
  await plane.make('ServiceAccount default/default');
  await plane.make('Pod default/member', {
    spec: { nodeName: 'w1', containers, schedulingGroup: { podGroupName: 'crew' } },
  });
  expect(await fates('podgroup/free')).toEqual(['PodGroup free deleted']);
  expect(await fates('podgroup/crew')).toEqual(['PodGroup crew terminating']);
  expect(await fates('podgroup/crew pod/member --grace-period=0 --force')).toEqual([
    'PodGroup crew deleted',
    'Pod member deleted',
  ]);
  for (const name of ['free', 'crew']) await plane.remove(group(name));
  await untilGone(plane, group('free'));
  expect(await isGoing(group('crew'))).toBeDefined();
  await plane.remove('Pod default/member', { gracePeriodSeconds: 0 });
  await untilGone(plane, group('crew'));
});

/** A PodGroup whose claim was made from a template and is in use, as the scheduler writes it; answers the claim. */
async function groupWithClaim(name: string): Promise<string> {
  const { uid } = (
    await plane.make(group(name), {
      spec: {
        schedulingPolicy: { basic: {} },
        resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }],
      },
    })
  ).metadata;
  const claim = await eventually('its claim is made', async () => {
    const claims = await plane.list('ResourceClaim default/');
    return claims.find(({ metadata }) =>
      JSON.stringify(metadata.ownerReferences).includes(`${uid}`),
    );
  });
  const path = `ResourceClaim default/${claim.metadata.name}`;
  const finalizers = ['resource.kubernetes.io/delete-protection'];
  await plane.patch(path, { metadata: { finalizers } });
  const consumer = { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name, uid };
  await plane.report(path, { allocation: { devices: {} }, reservedFor: [consumer] });
  return `${claim.metadata.name}`;
}

/** What is forecast of claims by their PodGroups: `squad-gpu-x2x4c certain`. */
async function forecast(): Promise<string[]> {
  const { items } = await json<ForecastReport>('forecast -A --collector resourceclaim');
  return items.flatMap(({ rule, object, confidence }) =>
    rule === 'DRA-4' ? [`${object.name} ${confidence}`] : [],
  );
}

test('the claim of a PodGroup outlives its template and is deleted with the group, as planned (DRA-4)', async () => {
  await plane.make('ResourceClaimTemplate default/gpu', {
    spec: {
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
    },
  });
  const [crew, squad] = [await groupWithClaim('team'), await groupWithClaim('squad')];
  await plane.remove('ResourceClaimTemplate default/gpu');
  // A preview does not ask whether the gate is on.
  expect(await fates('podgroup/team')).toContain(`ResourceClaim ${crew} unknown`);
  await plane.remove(group('team'));
  await untilGone(plane, `ResourceClaim default/${crew}`);

  await plane.stopControllers();
  await plane.startControllers(working, [gates]);
  await plane.remove(group('squad'));
  await untilGone(plane, group('squad'));
  await plane.stopControllers();
  await showManager(plane, [gates]);
  expect(await forecast()).toEqual([`${squad} certain`]);

  const without = '--feature-gates=GenericWorkload=true';
  await showManager(plane, [without]);
  expect(await forecast()).toEqual([]);
  await plane.startControllers([...working, claimsOfGroups], [without]);
  await sleep(2000);
  const { metadata } = await plane.get(`ResourceClaim default/${squad}`);
  expect([typeof metadata.deletionTimestamp, metadata.finalizers]).toEqual([
    'string',
    ['resource.kubernetes.io/delete-protection'],
  ]);
  await plane.stopControllers();
  await plane.startControllers([...working, claimsOfGroups], [gates]);
  await untilGone(plane, `ResourceClaim default/${squad}`);
});
