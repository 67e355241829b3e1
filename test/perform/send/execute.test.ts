import { expect, test } from 'vitest';
import { FOREGROUND } from '../../../src/kube/object-record.ts';
import { configMap, deployment, ownedBy, pod, replicaSet } from '../../support/builders.ts';
import { FakeCluster } from './fake-cluster.ts';
import { deletionOf, perform, planned, planOf, requestFor, told } from './plans.ts';

const web = deployment('web');
const webSet = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const webPod = pod('web-1-a', { ownerReferences: [ownedBy(webSet)] });
const tree = deletionOf(web, webSet, webPod);

/** Dependents go a moment after their owner, as with a garbage collector. */
function collecting(): FakeCluster {
  const cluster = new FakeCluster([web, webSet, webPod]);
  cluster.onDelete = (record) => {
    cluster.remove(record);
    setTimeout(() => cluster.remove(webSet), 5);
    setTimeout(() => cluster.remove(webPod), 10);
  };
  return cluster;
}

test('a tree is followed until its last object is deleted', async () => {
  const cluster = collecting();
  expect(told(await perform(cluster, tree))).toEqual([
    'planned 1 3',
    'sent web 200',
    'observed web gone',
    'observed web-1 gone',
    'observed web-1-a gone',
    'done gone',
  ]);
  const sent = cluster.requests.filter(({ method }) => method === 'DELETE');
  expect(sent).toEqual([
    {
      method: 'DELETE',
      path: '/apis/apps/v1/namespaces/shop/deployments/web',
      query: expect.anything(),
      body: {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Background',
        preconditions: { uid: web.uid },
      },
    },
  ]);
  expect(cluster.watching).toBe(0);
  // Watches are open before the first request.
  const asked = cluster.requests.map(({ method, query }) => query.get('watch') ?? method);
  const first = asked.indexOf('DELETE');
  expect(asked.slice(0, first).filter((word) => word === 'true')).toHaveLength(3);
});

test('a run with --wait=object waits only for the requested objects', async () => {
  const cluster = collecting();
  const events = told(await perform(cluster, tree, { wait: 'object' }));
  expect(events).toEqual(['planned 1 3', 'sent web 200', 'observed web gone', 'done gone']);
  const looks = cluster.requests.filter(({ method }) => method === 'GET');
  expect(looks.map(({ query }) => query.get('fieldSelector'))).toEqual(['metadata.name=web']);
});

const lone = configMap('lone');
const loneDeletion = deletionOf(lone);

test('an object without dependents is read once, after its request', async () => {
  const cluster = new FakeCluster([lone]);
  const events = told(await perform(cluster, loneDeletion));
  expect(events).toEqual(['planned 1 1', 'sent lone 200', 'observed lone gone', 'done gone']);
  expect(cluster.requests.map(({ method, path, query }) => [method, path, query.size])).toEqual([
    ['DELETE', '/api/v1/namespaces/shop/configmaps/lone', 0],
    ['GET', '/api/v1/namespaces/shop/configmaps', 0],
  ]);
});

test('an object without dependents that still exists is watched until it is deleted', async () => {
  const cluster = new FakeCluster([lone]);
  const held = { ...lone, deletionTimestamp: '2026-01-03T00:00:00Z', finalizers: ['a.example/b'] };
  cluster.onDelete = () => cluster.put(held);
  cluster.before = ({ query }) => {
    if (query.has('watch')) setTimeout(() => cluster.remove(held), 20);
    return undefined;
  };
  expect(told(await perform(cluster, loneDeletion))).toEqual([
    'planned 1 1',
    'sent lone 200',
    'observed lone terminating',
    'observed lone gone',
    'done gone',
  ]);
});

test('an object without dependents is awaited together with objects created for it meanwhile', async () => {
  const late = { ...configMap('late'), ownerReferences: [ownedBy(lone)] };
  const cluster = new FakeCluster([lone]);
  cluster.onDelete = () => {
    cluster.put(late);
    cluster.remove(lone);
  };
  cluster.before = ({ query }) => {
    if (query.has('watch')) setTimeout(() => cluster.remove(late), 20);
    return undefined;
  };
  // What the plan did not know is waited for until nothing has happened for a while.
  const events = await perform(cluster, loneDeletion, { pace: { quiet: 100_000 } });
  expect(told(events)).toEqual([
    'planned 1 1',
    'sent lone 200',
    'observed lone gone',
    'unplanned late of lone, gone',
    'done gone',
  ]);
});

test('a run that waits for nothing watches nothing', async () => {
  const cluster = collecting();
  const events = await perform(cluster, tree, { wait: 'none' });
  expect(told(events)).toEqual(['planned 1 3', 'sent web 200', 'done not-waited']);
  expect(cluster.requests).toHaveLength(1);
});

test('a dry run deletes nothing and follows nothing', async () => {
  const cluster = collecting();
  const events = await perform(cluster, tree, { rehearses: true });
  expect(told(events)).toEqual(['planned 1 3', 'sent web 200', 'done not-waited']);
  expect(cluster.requests.map(({ path, body }) => [path, body?.dryRun])).toEqual([
    ['/apis/apps/v1/namespaces/shop/deployments/web', ['All']],
  ]);
  expect(cluster.has(web)).toBe(true);
});

test('at the timeout a run reports the remaining objects and their blockers', async () => {
  const held = deployment('web', { finalizers: ['example.com/hold'] });
  const cluster = new FakeCluster([held]);
  cluster.onDelete = (record) =>
    cluster.put({ ...record, deletionTimestamp: '2026-01-03T00:00:00Z' });
  const plan = deletionOf(held);
  const events = await perform(cluster, plan, { timeout: 100 });
  expect(told(events)).toEqual([
    'planned 1 1',
    'sent web 200',
    'observed web terminating',
    'left web',
    'difference web deleted terminating',
    'done timed-out',
  ]);
});

test('a run does not wait for objects that are planned to stay terminating', async () => {
  const owner = configMap('owner');
  const held = configMap('held', {
    finalizers: ['example.com/hold'],
    ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })],
  });
  const cluster = new FakeCluster([owner, held]);
  cluster.onDelete = () => {
    const deletionTimestamp = '2026-01-03T00:00:00Z';
    cluster.put({ ...owner, deletionTimestamp, finalizers: [FOREGROUND] });
    cluster.put({ ...held, deletionTimestamp });
  };
  const plan = planOf(
    [requestFor(owner, { propagationPolicy: 'Foreground' })],
    [planned(owner, 'terminating'), planned(held, 'terminating')],
  );
  const events = await perform(cluster, plan);
  expect(told(events)).toEqual([
    'planned 1 2',
    'sent owner 200',
    'observed owner terminating',
    'observed held terminating',
    'left owner',
    'left held',
    'done settled',
  ]);
});
