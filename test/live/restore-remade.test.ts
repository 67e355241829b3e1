import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { eventually } from '../support/eventually.ts';
import { inNamespace, restoreStage } from './restore-stage.ts';

/** Objects that the controllers of their owners make anew while a restoration runs. */
const namespace = 'restore-remade';
const { cluster, backUp, restoreOf, remove, create } = restoreStage(namespace);
const apps = `/apis/apps/v1/namespaces/${namespace}`;
const batch = `/apis/batch/v1/namespaces/${namespace}`;

type List = { readonly items: readonly KubeObject[] };
const labels = { app: 'remade' };
const template = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: `example.com/${image}` }] },
});

const listed = async (path: string, apiVersion: string, kind: string): Promise<KubeObject[]> =>
  (await cluster.get<List>(path)).items.map((item) => ({ ...item, apiVersion, kind }));
const some = (count: number, path: string, apiVersion: string, kind: string) =>
  eventually(`${count} ${kind}`, async () => {
    const items = await listed(path, apiVersion, kind);
    return items.length === count ? items : undefined;
  });
const controllerOf = ({ metadata }: KubeObject) =>
  (metadata.ownerReferences as { uid: string; controller?: boolean }[] | undefined)
    ?.filter(({ controller }) => controller)
    .map(({ uid }) => uid);
const gone = (path: string) =>
  eventually(
    `the end of all in ${path}`,
    async () => (await cluster.get<List>(path)).items.length === 0,
  );

test('a Deployment takes its ReplicaSets as its own, and numbers them as before', async () => {
  const sets = `${apps}/replicasets`;
  const web = await create(`${apps}/deployments`, {
    metadata: { name: 'web' },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: template('web:1') },
  });
  await some(1, sets, 'apps/v1', 'ReplicaSet');
  await cluster.patch(`${apps}/deployments/web`, { spec: { template: template('web:2') } });
  await some(2, sets, 'apps/v1', 'ReplicaSet');
  const revisions = async (): Promise<Record<string, readonly (string | undefined)[]>> => {
    const items = await listed(sets, 'apps/v1', 'ReplicaSet');
    return Object.fromEntries(
      items.map(({ metadata, spec }) => [
        metadata.name,
        [
          (metadata.annotations as Record<string, string>)['deployment.kubernetes.io/revision'],
          (spec as { template: ReturnType<typeof template> }).template.spec.containers[0]?.image,
        ],
      ]),
    );
  };
  const before = await eventually('both revisions', async () => {
    const found = await revisions();
    return Object.values(found)
      .map((values) => values[0])
      .sort()
      .join() === '1,2'
      ? found
      : undefined;
  });
  const saved = await listed(sets, 'apps/v1', 'ReplicaSet');
  const now = await cluster.get<KubeObject>(`${apps}/deployments/web`);
  const whole = saved.map((object): [KubeObject] => [object]);
  const directory = await backUp('web', [now], ...whole);
  expect(now.metadata.uid).toBe(web.metadata.uid);
  await remove(`${apps}/deployments/web`, 'Foreground');
  await gone(sets);
  const { ends } = await restoreOf(`${directory} --yes`);
  expect(ends['Deployment web']).toBe('created');
  const restored = await cluster.get<KubeObject>(`${apps}/deployments/web`);
  await eventually(
    'the revisions of before',
    async () => JSON.stringify(await revisions()) === JSON.stringify(before),
  );
  const after = await listed(sets, 'apps/v1', 'ReplicaSet');
  expect(after.map(controllerOf)).toEqual(after.map(() => [restored.metadata.uid]));
  const uids = after.map(({ metadata }) => metadata.uid);
  await delay(60_000);
  const later = await listed(sets, 'apps/v1', 'ReplicaSet');
  expect(later.map(({ metadata }) => metadata.uid)).toEqual(uids);
  await remove(`${apps}/deployments/web`, 'Foreground');
  await gone(inNamespace(namespace, 'pods'));
});

test.each([
  ['statefulsets', { serviceName: 'x', replicas: 1 }],
  ['daemonsets', {}],
])(
  'ControllerRevisions of %s keep their numbers, and belong to the owner of now',
  async (resource, spec) => {
    const path = `${apps}/${resource}/history`;
    const list = `${apps}/controllerrevisions`;
    await create(`${apps}/${resource}`, {
      metadata: { name: 'history' },
      spec: { ...spec, selector: { matchLabels: labels }, template: template('db:1') },
    });
    for (const [count, image] of [
      [1, 'db:2'],
      [2, 'db:3'],
    ] as const) {
      await some(count, list, 'apps/v1', 'ControllerRevision');
      await cluster.patch(path, { spec: { template: template(image) } });
    }
    const before = await some(3, list, 'apps/v1', 'ControllerRevision');
    const numbers = (items: readonly KubeObject[]) =>
      Object.fromEntries(items.map(({ metadata, revision }) => [metadata.name, revision]));
    expect(Object.values(numbers(before)).sort()).toEqual([1, 2, 3]);
    const owner = await cluster.get<KubeObject>(path);
    const whole = before.map((object): [KubeObject] => [object]);
    const directory = await backUp(`history-${resource}`, [owner], ...whole);
    await remove(path);
    await gone(list);
    const { ends } = await restoreOf(`${directory} --yes`);
    expect(new Set(Object.values(ends))).toEqual(new Set(['created']));
    const restored = await cluster.get<KubeObject>(path);
    await delay(5_000);
    const after = await listed(list, 'apps/v1', 'ControllerRevision');
    expect(numbers(after)).toEqual(numbers(before));
    expect(after.map(controllerOf)).toEqual(after.map(() => [restored.metadata.uid]));
    await remove(path);
    await gone(list);
  },
);

test('what a CronJob, a Job and a Service make is theirs when they are back', async () => {
  const nightly = await create(`${batch}/cronjobs`, {
    metadata: { name: 'nightly' },
    spec: {
      schedule: '0 3 1 1 *',
      jobTemplate: {
        spec: { template: { spec: { ...template('job:1').spec, restartPolicy: 'Never' } } },
      },
    },
  });
  const { uid } = nightly.metadata;
  const job = await create(`${batch}/jobs`, {
    metadata: {
      name: 'tonight',
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid, controller: true },
      ],
    },
    spec: { template: { spec: { ...template('job:1').spec, restartPolicy: 'Never' } } },
  });
  const pods = inNamespace(namespace, 'pods');
  const [pod] = await some(1, pods, 'v1', 'Pod');
  const service = await create(inNamespace(namespace, 'services'), {
    metadata: { name: 'front' },
    spec: { selector: labels, ports: [{ port: 80 }] },
  });
  const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
  const [slice] = await some(1, slices, 'discovery.k8s.io/v1', 'EndpointSlice');
  if (!pod || !slice) throw new Error('controllers have made nothing');
  const directory = await backUp('makers', [nightly], [job], [pod], [service], [slice]);
  await remove(`${batch}/cronjobs/nightly`, 'Foreground');
  await remove(`${inNamespace(namespace, 'services')}/front`);
  await gone(slices);
  const { ends } = await restoreOf(`${directory} --yes`);
  expect(ends).toEqual({
    'CronJob nightly': 'created',
    'Job tonight': 'created',
    [`Pod ${pod.metadata.name}`]: 'skip',
    'Service front': 'created',
    [`EndpointSlice ${slice.metadata.name}`]: 'skip',
  });
  const live = async (path: string) => (await cluster.get<KubeObject>(path)).metadata.uid;
  const [newPod] = await some(1, pods, 'v1', 'Pod');
  const [newSlice] = await some(1, slices, 'discovery.k8s.io/v1', 'EndpointSlice');
  const newJob = await cluster.get<KubeObject>(`${batch}/jobs/tonight`);
  expect([newPod, newSlice, newJob].map((object) => object && controllerOf(object))).toEqual([
    [await live(`${batch}/jobs/tonight`)],
    [await live(`${inNamespace(namespace, 'services')}/front`)],
    [await live(`${batch}/cronjobs/nightly`)],
  ]);
});
