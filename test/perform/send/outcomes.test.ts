import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  builderOf,
  configMap,
  deployment,
  ownedBy,
  pod,
  replicaSet,
  widget,
} from '../../support/builders.ts';
import { FakeCluster, type FakeRequest } from './fake-cluster.ts';
import { deletionOf, perform, planned, planOf, requestFor, told, whenGone } from './plans.ts';

const definitionOf = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const web = deployment('web');
const set = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });

const forbidden = {
  status: 403,
  body: { kind: 'Status', reason: 'Forbidden', message: 'it is forbidden' },
};

const isWatch = ({ query }: FakeRequest) => query.has('watch');

test('an object of the same name is another one, and told as a difference', async () => {
  const cluster = new FakeCluster([web, set]);
  const again = { ...set, uid: 'another' };
  const recreating = planOf(
    [requestFor(web)],
    [planned(web, 'deleted'), planned(set, 'deleted'), planned(configMap('kept'), 'kept')],
  );
  cluster.put(configMap('kept'));
  const events = await whenGone(cluster, recreating, () => {
    cluster.remove(set);
    cluster.put(again);
  });
  expect(told(events).slice(3)).toEqual([
    'observed web-1 gone',
    'observed web-1 recreated',
    'difference web-1 deleted recreated',
    'unplanned web-1 of web',
    'done gone',
  ]);
});

test('a recreated object is no difference when that was planned', async () => {
  const cluster = new FakeCluster([set]);
  cluster.onDelete = () => {
    cluster.remove(set);
    cluster.put({ ...set, uid: 'another', ownerReferences: [] });
  };
  const recreated = planOf([requestFor(set)], [planned(set, 'recreated')]);
  const events = await perform(cluster, recreated);
  expect(events.at(-1)).toMatchObject({ ended: 'gone', gone: 1, left: 0, differences: 0 });
});

/** A Deployment is deleted; `then` is what happens to the other object. */
async function endsOf(
  record: ObjectRecord,
  fate: Parameters<typeof planned>[1],
  then: (cluster: FakeCluster) => void,
  options: Parameters<typeof perform>[2] = {},
): Promise<string[]> {
  const cluster = new FakeCluster([web, record]);
  const objects = [planned(web, 'deleted'), planned(record, fate)];
  const events = await whenGone(
    cluster,
    planOf([requestFor(web)], objects),
    () => then(cluster),
    options,
  );
  return told(events).slice(3);
}

test('an orphan is waited for until it has lost its owner', async () => {
  const ends = await endsOf(set, 'orphaned', (cluster) => {
    setTimeout(() => cluster.put({ ...set, ownerReferences: [] }), 100);
  });
  expect(ends).toEqual(['observed web-1 orphaned', 'done gone']);
});

test.each([
  ['kept', 'gone'],
  ['orphaned', 'gone'],
  ['terminating', 'gone'],
] as const)('what was planned to be %s and went is a difference', async (fate, observed) => {
  const ends = await endsOf(set, fate, (cluster) => cluster.remove(set));
  expect(ends).toEqual([
    'observed web-1 gone',
    `difference web-1 ${fate} ${observed}`,
    'done gone',
  ]);
});

test('the removal of the finalizer an object waits for is no difference', async () => {
  const cluster = new FakeCluster([web, set]);
  const held = planned(set, 'terminating', {
    blockedBy: [{ kind: 'finalizer', name: 'example.com/hold' }],
  });
  const events = await whenGone(
    cluster,
    planOf([requestFor(web)], [planned(web, 'deleted'), held]),
    () => cluster.remove(set),
  );
  expect(told(events).slice(3)).toEqual(['observed web-1 gone', 'done gone']);
});

test('what was planned to be kept and is marked is a difference', async () => {
  const ends = await endsOf(set, 'kept', (cluster) =>
    cluster.put({ ...set, deletionTimestamp: '2026-01-03T00:00:00Z', finalizers: ['x/y'] }),
  );
  expect(ends).toEqual([
    'observed web-1 terminating',
    'difference web-1 kept terminating',
    'done gone',
  ]);
});

test('an object whose end was unknown is no difference, whatever its end', async () => {
  expect(await endsOf(set, 'unknown', () => undefined)).toEqual(['done gone']);
  expect(await endsOf(set, 'unknown', (cluster) => cluster.remove(set))).toEqual([
    'observed web-1 gone',
    'done gone',
  ]);
});

test('a dependent that the plan does not know is told, whether it stays or goes', async () => {
  const late = replicaSet('late', { ownerReferences: [ownedBy(web)] });
  const early = replicaSet('early', { ownerReferences: [ownedBy(web)] });
  const going = (cluster: FakeCluster) => {
    cluster.put(late);
    cluster.put(early);
    setTimeout(() => cluster.remove(set), 10);
    setTimeout(() => cluster.remove(early), 30);
  };
  // A third of it is how long nothing must have happened.
  const ends = await endsOf(set, 'deleted', going, { pace: { quiet: 1_500 } });
  expect(ends).toEqual([
    'observed web-1 gone',
    'unplanned late of web',
    'unplanned early of web, gone',
    'done gone',
  ]);
});

test('objects that hang on a refused request are not waited for', async () => {
  const other = deployment('other');
  const otherSet = replicaSet('other-1', { ownerReferences: [ownedBy(other)] });
  const shared = replicaSet('shared', { ownerReferences: [ownedBy(web), ownedBy(other)] });
  const cluster = new FakeCluster([web, set, other, otherSet, shared]);
  cluster.onDelete = (record) => {
    cluster.remove(record);
    setTimeout(() => cluster.remove(set), 30);
  };
  cluster.before = ({ method, path }) =>
    method === 'DELETE' && path.endsWith('/other') ? forbidden : undefined;
  const objects = [web, set, other, otherSet, shared].map((record) => planned(record, 'deleted'));
  const events = await perform(cluster, planOf([requestFor(web), requestFor(other)], objects));
  expect(told(events).slice(1)).toEqual([
    'sent web 200',
    'refused other 403 Forbidden',
    'observed web gone',
    'observed web-1 gone',
    'left other: no request to delete it was accepted',
    'left other-1: it is not marked for deletion',
    'left shared: it is not marked for deletion',
    'done failed',
  ]);
});

test('what nothing collects although its owners are gone is told as such', async () => {
  const cluster = new FakeCluster([web, set]);
  const plan = deletionOf(web, set);
  const events = await perform(cluster, plan, { timeout: 200 });
  expect(told(events).slice(1)).toEqual([
    'sent web 200',
    'observed web gone',
    'left web-1: its owners are gone, and it is not collected yet; why --gc says whether the garbage collector runs',
    'difference web-1 deleted kept',
    'done timed-out',
  ]);
});

test('of pods and namespaces it is read what they wait for', async () => {
  const bound = pod('bound', { facts: { nodeName: 'node-1' } });
  const cluster = new FakeCluster([bound]);
  cluster.onDelete = () => cluster.put({ ...bound, deletionTimestamp: '2026-01-03T00:00:00Z' });
  const events = await perform(cluster, deletionOf(bound), {
    timeout: 60,
  });
  expect(told(events).filter((line) => line.startsWith('left'))).toEqual([
    'left bound: the kubelet of node node-1 has not confirmed that it has stopped',
  ]);
});

test('what went while the end was read is not left', async () => {
  const cluster = new FakeCluster([web]);
  cluster.onDelete = () => undefined;
  cluster.before = (request) => {
    if (isWatch(request)) return forbidden;
    if (request.method === 'GET' && request.path.endsWith('/web')) cluster.remove(web);
    return undefined;
  };
  const events = await perform(cluster, deletionOf(web), {
    timeout: 40,
    pace: { poll: 10_000 },
  });
  expect(events.at(-1)).toMatchObject({ ended: 'timed-out', gone: 1, left: 0, differences: 0 });
});

test('the objects of a kind whose definition went are gone with it', async () => {
  const definition = definitionOf('widgets.example.com');
  const one = widget('one');
  const cluster = new FakeCluster([definition, one]);
  cluster.onDelete = () => {
    cluster.remove(definition);
    cluster.cutWatches();
  };
  const notServed = { status: 404, body: '404 page not found' };
  cluster.before = ({ path }) =>
    path.endsWith('/widgets') && !cluster.has(definition) ? notServed : undefined;
  const crd = deletionOf(definition, one);
  const events = await perform(cluster, crd);
  expect(told(events).filter((line) => !line.startsWith('watch'))).toEqual([
    'planned 1 2',
    'sent widgets.example.com 200',
    'observed widgets.example.com gone',
    'observed one gone',
    'done gone',
  ]);
});

test('of a kind that is not served any more for another reason, the end is unknown', async () => {
  const one = widget('one');
  const cluster = new FakeCluster([web, one]);
  const notServed = { status: 404, body: '404 page not found' };
  cluster.before = ({ path }) => (path.includes('/widgets') ? notServed : undefined);
  const events = await perform(cluster, deletionOf(web, one));
  expect(told(events).slice(-2)).toEqual([
    'left one: it is unknown whether it is gone: the server answered with HTTP status 404',
    'done settled',
  ]);
});
