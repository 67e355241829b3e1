import { beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { serveKind } from '../support/served-kinds.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { workload } from '../support/workload.ts';
import {
  deleted,
  endOf,
  identity,
  observations,
  only,
  performOn,
  planFor,
} from './perform-plan.ts';

const cluster = sharedControlPlane();

let namespace = '';
let runs = 0;
beforeEach(async () => {
  runs += 1;
  namespace = `execute-${process.pid}-${runs}`;
  await cluster.create('/api/v1/namespaces', { metadata: { name: namespace } });
});

const configMaps = () => `/api/v1/namespaces/${namespace}/configmaps`;

async function configMap(
  name: string,
  owners: readonly KubeObject[] = [],
  metadata: object = {},
): Promise<KubeObject> {
  const ownerReferences = owners.map((owner) => {
    const { apiVersion, kind, name: ownerName, uid } = identity(owner);
    return { apiVersion, kind, name: ownerName, uid, blockOwnerDeletion: true };
  });
  const made = { metadata: { name, ownerReferences, ...metadata } };
  return cluster.create<KubeObject>(configMaps(), made);
}

async function isThere(name: string): Promise<boolean> {
  return cluster.isHealthy(`${configMaps()}/${name}`);
}

async function chain() {
  const root = await configMap('root');
  const middle = await configMap('middle', [root]);
  const leaf = await configMap('leaf', [middle]);
  const bystander = await configMap('bystander');
  return { root, middle, leaf, bystander };
}

const complete = { type: 'done', sent: 1, refused: 0, skipped: 0, left: 0, differences: 0 };

test.each(['Background', 'Foreground'] as const)(
  'a tree goes with %s deletion, and nothing else',
  async (propagationPolicy) => {
    const { root, middle, leaf } = await chain();
    const plan = planFor([root], deleted(root, middle, leaf), { propagationPolicy });
    const events = await performOn(cluster, plan);
    expect(endOf(events)).toEqual({ ...complete, ended: 'gone', gone: 3 });
    expect(observations(events)).toEqual({ root: 'gone', middle: 'gone', leaf: 'gone' });
    expect(await Promise.all(['root', 'middle', 'leaf', 'bystander'].map(isThere))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  },
);

test('with Orphan the dependents are seen to lose their owner', async () => {
  const { root, middle, leaf } = await chain();
  const plan = planFor(
    [root],
    [
      [root, 'deleted'],
      [middle, 'orphaned'],
      [leaf, 'kept'],
    ],
    { propagationPolicy: 'Orphan' },
  );
  const events = await performOn(cluster, plan);
  expect(endOf(events)).toEqual({ ...complete, ended: 'gone', gone: 1 });
  expect(observations(events)).toEqual({ root: 'gone', middle: 'orphaned' });
});

test('the pods of a deployment are followed, whatever makes them go', async () => {
  const at = `/apis/apps/v1/namespaces/${namespace}`;
  const web = await cluster.create<KubeObject>(
    `${at}/deployments`,
    workload('web', { replicas: 3 }),
  );
  const list = async (path: string, count: number) =>
    eventually(path, async () => {
      const { items } = await cluster.get<{ items: KubeObject[] }>(path);
      return items.length === count ? items : undefined;
    });
  const pods = (await list(`/api/v1/namespaces/${namespace}/pods`, 3)).map((item) => ({
    ...item,
    apiVersion: 'v1',
    kind: 'Pod',
  }));
  const sets = (await list(`${at}/replicasets`, 1)).map((item) => ({
    ...item,
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
  }));
  const all = [web, ...sets, ...pods].map((object) => [object, 'deleted'] as const);
  const events = await performOn(cluster, planFor([web], all));
  expect(endOf(events)).toEqual({ ...complete, ended: 'gone', gone: 5 });
});

test('the end of six kinds is told as soon as the last object is gone', async () => {
  const core = `/api/v1/namespaces/${namespace}`;
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const held = { metadata: { name: 'x', finalizers: ['example.com/held'] } };
  const paths = [
    `${core}/configmaps`,
    `${core}/secrets`,
    `${core}/serviceaccounts`,
    `${core}/services`,
    `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
    `${rbac}/roles`,
  ];
  const made: KubeObject[] = [];
  for (const path of paths) {
    const spec = path.endsWith('services') ? { ports: [{ port: 80 }] } : undefined;
    made.push(await cluster.create<KubeObject>(path, { ...held, ...(spec && { spec }) }));
  }
  let lastGone = 0;
  const plan = planFor(
    made,
    made.map((object) => [object, 'deleted'] as const),
  );
  const running = performOn(cluster, plan, { pace: { poll: 60_000, quiet: 60_000 } });
  await eventually('all are being deleted', async () => {
    const all = await Promise.all(paths.map((path) => cluster.get<KubeObject>(`${path}/x`)));
    return all.every(({ metadata }) => metadata.deletionTimestamp !== undefined) || undefined;
  });
  for (const path of paths) await cluster.patch(`${path}/x`, { metadata: { finalizers: null } });
  lastGone = performance.now();
  const events = await running;
  // Long before it is polled.
  expect(performance.now() - lastGone).toBeLessThan(30_000);
  expect(endOf(events)).toMatchObject({ ended: 'gone', gone: 6 });
});

test('an object that was made again under its name is left alone', async () => {
  const old = await configMap('old');
  const dependent = await configMap('dependent', [old]);
  await cluster.request(`${configMaps()}/old?propagationPolicy=Orphan`, { method: 'DELETE' });
  await eventually('it is gone', async () => ((await isThere('old')) ? undefined : true));
  const anew = await configMap('old');
  const events = await performOn(cluster, planFor([old], deleted(old)));
  expect(only(events, 'skipped')).toEqual([
    {
      at: expect.any(String),
      type: 'skipped',
      request: expect.objectContaining({ uid: identity(old).uid }),
      reason: 'replaced',
      message: `another ConfigMap has that name now, with uid ${identity(anew).uid}`,
    },
  ]);
  expect(await Promise.all(['old', 'dependent'].map(isThere))).toEqual([true, true]);
  expect(identity(dependent).name).toBe('dependent');
});

test('an object that changed since the plan is left alone when that was asked for', async () => {
  const changing = await configMap('changing');
  await cluster.patch(`${configMaps()}/changing`, { data: { key: 'new' } });
  const plan = planFor([changing], deleted(changing));
  const events = await performOn(cluster, plan, { useResourceVersion: true });
  expect(only(events, 'skipped').map(({ reason }) => reason)).toEqual(['changed']);
  expect(endOf(events)).toEqual({
    type: 'done',
    ended: 'failed',
    sent: 0,
    refused: 0,
    skipped: 1,
    gone: 0,
    left: 1,
    differences: 0,
  });
  const late = await performOn(cluster, plan);
  expect(endOf(late)).toEqual({ ...complete, ended: 'gone', gone: 1 });
});

test('a dry run is checked by the server and changes nothing', async () => {
  const { root } = await chain();
  const plan = planFor([root], deleted(root));
  const events = await performOn(cluster, plan, { dryRun: true });
  expect(events.map(({ type }) => type)).toEqual(['planned', 'sent', 'done']);
  expect(await isThere('root')).toBe(true);
});

test('a deletion that is held up is explained at the timeout', async () => {
  const root = await configMap('root');
  const held = await configMap('held', [root], { finalizers: ['example.com/hold'] });
  const plan = planFor([root], deleted(root, held), { propagationPolicy: 'Foreground' });
  const events = await performOn(cluster, plan, { timeoutMs: 3_000 });
  expect(
    only(events, 'left').map(({ object, because, blockedBy }) => [object.name, because, blockedBy]),
  ).toEqual([
    [
      'root',
      'it waits for its dependent ConfigMap held',
      [{ kind: 'dependent', name: 'ConfigMap held', object: identity(held) }],
    ],
    [
      'held',
      'its finalizer example.com/hold was not removed',
      [{ kind: 'finalizer', name: 'example.com/hold' }],
    ],
  ]);
  expect(endOf(events)).toEqual({
    ...complete,
    ended: 'timed-out',
    gone: 0,
    left: 2,
    differences: 2,
  });
  await cluster.patch(`${configMaps()}/held`, { metadata: { finalizers: null } });
});

test('what was foreseen to stay ends the run without a timeout', async () => {
  const held = await configMap('held', [], { finalizers: ['example.com/hold'] });
  const pace = { quiet: 300, quietWithFinalizers: 500 };
  const events = await performOn(cluster, planFor([held], [[held, 'terminating']]), { pace });
  expect(endOf(events)).toEqual({ ...complete, ended: 'settled', gone: 0, left: 1 });
  await cluster.patch(`${configMaps()}/held`, { metadata: { finalizers: null } });
});

test('a namespace that will not go says what its conditions say', async () => {
  const held = await configMap('held', [], { finalizers: ['example.com/hold'] });
  const path = `/api/v1/namespaces/${namespace}`;
  const itself = await cluster.get<KubeObject>(path);
  const plan = planFor(
    [itself],
    [
      [itself, 'terminating'],
      [held, 'terminating'],
    ],
  );
  const pace = { quiet: 9_000, quietWithFinalizers: 9_000 };
  const events = await performOn(cluster, plan, { pace });
  const [first] = only(events, 'left');
  expect(first?.blockedBy.map(({ kind, name }) => [kind, name])).toEqual([
    ['content', 'Some resources are remaining: configmaps. has 1 resource instances'],
    [
      'content',
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    ],
  ]);
  const again = await performOn(cluster, plan, { pace: { quiet: 100, quietWithFinalizers: 100 } });
  expect(endOf(again)).toEqual({ ...complete, ended: 'settled', gone: 0, left: 2 });
  await cluster.patch(`${configMaps()}/held`, { metadata: { finalizers: null } });
});

test('custom resources are seen to go with their definition', async () => {
  const group = `${namespace}.example.com`;
  const path = await serveKind(cluster, customDefinition('Thing', group));
  const definition = await cluster.get<KubeObject>(path);
  const things = `/apis/${group}/v1/namespaces/${namespace}/things`;
  const made = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'one' } };
  const thing = await cluster.create<KubeObject>(things, made);
  const plan = planFor([definition], deleted(definition, thing));
  const events = await performOn(cluster, plan);
  expect(endOf(events)).toEqual({ ...complete, ended: 'gone', gone: 2 });
});
