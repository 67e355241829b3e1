import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ForecastReport } from '../../src/output/documents/forecast.ts';
import { showManager } from '../support/control-plane-pod.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { podGroupVersion } from '../support/played-minor.ts';
import { gc } from '../support/run-gc.ts';

const gates = '--feature-gates=GenericWorkload=true,DRAWorkloadResourceClaims=true';
const plane = await ownControlPlane({
  controllers: 'none',
  apiServerArgs: [gates, `--runtime-config=scheduling.k8s.io/${podGroupVersion}=true`],
});
const working = [
  'resourceclaim-controller',
  'garbage-collector-controller',
  'podgroup-protection-controller',
];
beforeAll(() => plane.startControllers(working, [gates]));

const groups = `/apis/scheduling.k8s.io/${podGroupVersion}/namespaces/default/podgroups`;
const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
const templates = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates';

/** A PodGroup whose claim was made from a template and is in use, as the scheduler writes it. */
async function groupWithClaim(name: string): Promise<string> {
  const group = await plane.create<KubeObject>(groups, {
    metadata: { name },
    spec: {
      schedulingPolicy: { basic: {} },
      resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }],
    },
  });
  const claim = await eventually('its claim is made', async () => {
    const { items } = await plane.get<{ items: KubeObject[] }>(claims);
    return items.find(({ metadata }) =>
      JSON.stringify(metadata.ownerReferences).includes(`${group.metadata.uid}`),
    );
  });
  const path = `${claims}/${claim.metadata.name}`;
  await plane.patch(path, {
    metadata: { finalizers: ['resource.kubernetes.io/delete-protection'] },
  });
  const { uid } = group.metadata;
  const consumer = { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name, uid };
  await plane.patch(`${path}/status`, {
    status: { allocation: { devices: {} }, reservedFor: [consumer] },
  });
  return `${claim.metadata.name}`;
}

/** What a preview of the PodGroup's deletion says of its claim. */
async function fateOf(name: string, claim: string): Promise<string | undefined> {
  const { stdout } = await gc(`delete podgroup/${name} --preview -o json`, {
    env: { KUBECONFIG: plane.kubeconfigPath },
  });
  const { objects } = JSON.parse(stdout) as { objects: { name: string; fate: string }[] };
  return objects.find((one) => one.name === claim)?.fate;
}

/** What is forecast of claims by their PodGroups: `crew-gpu-x2x4c certain`. */
async function forecast(): Promise<string[]> {
  const { stdout } = await gc('forecast -A --collector resourceclaim -o json', {
    env: { KUBECONFIG: plane.kubeconfigPath },
  });
  const { items } = JSON.parse(stdout) as ForecastReport;
  return items.flatMap(({ rule, object, confidence }) =>
    rule === 'DRA-4' ? [`${object.name} ${confidence}`] : [],
  );
}

test('the claim of a PodGroup outlives its template and goes with the group, as planned (DRA-4)', async () => {
  await plane.make('ResourceClaimTemplate default/gpu', {
    spec: {
      spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
    },
  });
  const [crew, squad] = [await groupWithClaim('crew'), await groupWithClaim('squad')];
  await plane.request(`${templates}/gpu`, { method: 'DELETE' });
  // A preview does not ask whether the gate is on.
  expect(await fateOf('crew', crew)).toBe('unknown');
  await plane.request(`${groups}/crew`, { method: 'DELETE' });
  await untilGone(plane, `${claims}/${crew}`);

  await plane.stopControllers();
  const [, ...others] = working;
  await plane.startControllers(others, [gates]);
  await plane.request(`${groups}/squad`, { method: 'DELETE' });
  await untilGone(plane, `${groups}/squad`);
  await plane.stopControllers();
  await showManager(plane, [gates]);
  expect(await forecast()).toEqual([`${squad} certain`]);

  const without = '--feature-gates=GenericWorkload=true';
  await showManager(plane, [without]);
  expect(await forecast()).toEqual([]);
  await plane.startControllers(working, [without]);
  await sleep(2000);
  const { metadata } = await plane.get<KubeObject>(`${claims}/${squad}`);
  expect([typeof metadata.deletionTimestamp, metadata.finalizers]).toEqual([
    'string',
    ['resource.kubernetes.io/delete-protection'],
  ]);
  await plane.stopControllers();
  await plane.startControllers(working, [gates]);
  await untilGone(plane, `${claims}/${squad}`);
});
