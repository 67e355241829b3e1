import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { serveKind } from '../support/served-kinds.ts';
import { refTo, restoreStage } from './restore-stage.ts';

/** Objects that the controllers of their owners make again while a restoration runs, and owners of several versions. */
const namespace = 'restore-remade';
const { cluster, backUp, restoreOf, remove } = restoreStage(namespace);
const at = (kind: string, name = '') => `${kind} ${namespace}/${name}`;
const labels = { app: 'remade' };
const template = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: `example.com/${image}` }] },
});
/** What a minute and more must not change, and how it was. */
const lasting: { readonly now: () => Promise<unknown>; readonly restored: unknown }[] = [];

const some = (count: number, kind: string) =>
  eventually(`${count} ${kind}`, async () => {
    const items = await cluster.list(at(kind));
    return items.length === count && items;
  });
const controllersOf = (objects: readonly KubeObject[]) =>
  objects.map(({ metadata }) => {
    const owners = metadata.ownerReferences as { uid: string; controller?: boolean }[];
    return owners.find(({ controller }) => controller)?.uid;
  });
const uidOf = async (path: string) => (await cluster.get(path)).metadata.uid;
const gone = (kind: string) =>
  eventually(`the end of every ${kind}`, async () => (await cluster.list(at(kind))).length === 0);
const saved = (name: string, objects: readonly KubeObject[]) =>
  backUp(name, ...objects.map((object): [KubeObject] => [object]));

test('a Deployment takes its ReplicaSets as its own, and numbers them as before', async () => {
  const web = at('Deployment', 'web');
  const made = await cluster.make(web, {
    spec: { replicas: 2, selector: { matchLabels: labels }, template: template('web:1') },
  });
  await some(1, 'ReplicaSet');
  await cluster.patch(web, { spec: { template: template('web:2') } });
  const revisions = async () =>
    (await some(2, 'ReplicaSet')).map(({ metadata, spec }) => {
      const annotations = metadata.annotations as Record<string, string>;
      const { containers } = (spec as { template: ReturnType<typeof template> }).template.spec;
      const revision = annotations['deployment.kubernetes.io/revision'];
      return `${revision} ${metadata.name} ${containers[0]?.image}`;
    });
  const before = await eventually('both revisions', async () => {
    const found = (await revisions()).sort();
    return found.map(([first]) => first).join() === '1,2' && found;
  });
  const now = await cluster.get(web);
  expect(now.metadata.uid).toBe(made.metadata.uid);
  const directory = await saved('web', [now, ...(await some(2, 'ReplicaSet'))]);
  await remove(web, 'Foreground');
  await gone('ReplicaSet');
  const { ends } = await restoreOf(`${directory} --yes`);
  expect(ends['Deployment web']).toBe('created');
  await eventually(
    'the revisions of before',
    async () => (await revisions()).sort().join() === before.join(),
  );
  const after = await some(2, 'ReplicaSet');
  const uid = await uidOf(web);
  expect(controllersOf(after)).toEqual([uid, uid]);
  const uids = (items: readonly KubeObject[]) => items.map(({ metadata }) => metadata.uid);
  lasting.push({
    now: async () => uids(await cluster.list(at('ReplicaSet'))),
    restored: uids(after),
  });
});

test.each([
  ['StatefulSet', { serviceName: 'x', replicas: 1 }],
  ['DaemonSet', {}],
])(
  'ControllerRevisions of a %s keep their numbers, and belong to the owner of now',
  async (kind, spec) => {
    const history = at(kind, 'history');
    await cluster.make(history, {
      spec: { ...spec, selector: { matchLabels: labels }, template: template('db:1') },
    });
    for (const count of [1, 2]) {
      await some(count, 'ControllerRevision');
      await cluster.patch(history, { spec: { template: template(`db:${count + 1}`) } });
    }
    const before = await some(3, 'ControllerRevision');
    const numbers = (items: readonly KubeObject[]) =>
      items.map(({ metadata, revision }) => `${revision} ${metadata.name}`).sort();
    expect(numbers(before).map(([first]) => first)).toEqual(['1', '2', '3']);
    const directory = await saved(`history-${kind}`, [await cluster.get(history), ...before]);
    await remove(history);
    await gone('ControllerRevision');
    const { ends } = await restoreOf(`${directory} --yes`);
    expect(new Set(Object.values(ends))).toEqual(new Set(['created']));
    const uid = await uidOf(history);
    await delay(5_000);
    const after = await some(3, 'ControllerRevision');
    expect(numbers(after)).toEqual(numbers(before));
    expect(controllersOf(after)).toEqual([uid, uid, uid]);
    await remove(history);
    await gone('ControllerRevision');
  },
);

test('what a CronJob, a Job and a Service make is theirs when they are back', async () => {
  const spec = { template: { spec: { ...template('job:1').spec, restartPolicy: 'Never' } } };
  const nightly = await cluster.make(at('CronJob', 'nightly'), {
    spec: { schedule: '0 3 1 1 *', jobTemplate: { spec } },
  });
  const job = await cluster.make(at('Job', 'tonight'), {
    metadata: { ownerReferences: [{ ...refTo(nightly), controller: true }] },
    spec,
  });
  const ofJob = async () => {
    const pods = await cluster.list(at('Pod'));
    return pods.find(({ metadata }) => `${metadata.name}`.startsWith('tonight-'));
  };
  const pod = await eventually('its pod', ofJob);
  const service = await cluster.make(at('Service', 'front'), {
    spec: { selector: { front: 'yes' }, ports: [{ port: 80 }] },
  });
  const slices = await some(1, 'EndpointSlice');
  const directory = await saved('makers', [nightly, job, pod, service, ...slices]);
  await remove(at('CronJob', 'nightly'), 'Foreground');
  await remove(at('Service', 'front'));
  await gone('EndpointSlice');
  const { ends } = await restoreOf(`${directory} --yes`);
  expect(ends).toEqual({
    'CronJob nightly': 'created',
    'Job tonight': 'created',
    [`Pod ${pod.metadata.name}`]: 'skip',
    'Service front': 'created',
    [`EndpointSlice ${slices[0]?.metadata.name}`]: 'skip',
  });
  const made = [
    await eventually('its pod again', ofJob),
    ...(await some(1, 'EndpointSlice')),
    await cluster.get(at('Job', 'tonight')),
  ];
  expect(controllersOf(made)).toEqual([
    await uidOf(at('Job', 'tonight')),
    await uidOf(at('Service', 'front')),
    await uidOf(at('CronJob', 'nightly')),
  ]);
});

test('references in every version of a restored definition lead to the restored owner', async () => {
  const group = 'versions.example.com';
  const kind = customDefinition('Crate', group, {
    ...{ versions: ['v1', 'v1beta1'], retired: ['v1alpha1'] },
  });
  const definition = await serveKind(cluster, kind);
  const crate = (name: string) => `${group}/v1 ${at('Crate', name)}`;
  const owner = await cluster.make(crate('owner'));
  const named = (version: string) => ({ ...refTo(owner), apiVersion: `${group}/${version}` });
  const rows = [
    ...['v1', 'v1beta1', 'v1alpha1', 'v1beta1'].map((version) => [
      at('ConfigMap', 'part'),
      version,
    ]),
    ...['v1', 'v1beta1', 'v1beta1'].map((version) => [crate('inner'), version]),
  ];
  const dependents: { path: string; object: KubeObject; version: string }[] = [];
  for (const [index, [what = '', version = '']] of rows.entries()) {
    const path = `${what}-${index}`;
    const object = await cluster.make(path, { metadata: { ownerReferences: [named(version)] } });
    dependents.push({ path, object, version });
  }
  const objects = dependents.map(({ object }) => object);
  const directory = await saved('versions', [await cluster.get(definition), owner, ...objects]);
  await remove(definition);
  for (const { path } of dependents) if (path.startsWith('ConfigMap')) await cluster.remove(path);

  const { ends, document } = await restoreOf(`${directory} --yes`);
  expect(new Set(Object.values(ends))).toEqual(new Set(['created']));
  const changes = document.objects.flatMap(({ references }) =>
    references.map(({ change }) => change),
  );
  expect(changes).not.toContain('kept');
  const uid = await uidOf(crate('owner'));
  expect(uid).not.toBe(owner.metadata.uid);
  const now = () =>
    Promise.all(
      dependents.map(async ({ path }) => {
        const { metadata } = (await cluster.find(path)) ?? {};
        return [path, metadata?.uid, metadata?.ownerReferences];
      }),
    );
  const restored = await now();
  expect(restored).toEqual(
    dependents.map(({ path, object, version }) => [
      path,
      expect.not.stringMatching(String(object.metadata.uid)),
      // A version that is not served is no way to an owner: the collector tries no other one.
      [{ ...named(version === 'v1alpha1' ? 'v1' : version), uid }],
    ]),
  );
  const again = async () => [
    ...new Set(Object.values((await restoreOf(`${directory} --yes`)).ends)),
  ];
  lasting.push({ now, restored }, { now: again, restored: ['exists'] });
});

test('so it is still some time later', async () => {
  await delay(75_000);
  for (const { now, restored } of lasting) expect(await now()).toEqual(restored);
  await remove('CustomResourceDefinition crates.versions.example.com');
});
