import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { configMap, deployment, ownedBy, replicaSet } from '../../support/builders.ts';
import { FakeCluster, type FakeRequest, failure } from './fake-cluster.ts';
import {
  answering,
  deletionOf,
  deletionsOf,
  perform,
  planned,
  planOf,
  requestFor,
  told,
  whenGone,
} from './plans.ts';

const web = deployment('web');
const set = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });

const forbidden = failure(403, 'Forbidden', 'it is forbidden');
const isWatch = ({ query }: FakeRequest) => query.has('watch');

test('an object of the same name with another uid is reported as a difference', async () => {
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
  expect(events.at(-1)).toMatchObject({
    ...{ sent: 1, refused: 0, skipped: 0 },
    ...{ gone: 2, left: 0, differences: 2 },
  });
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
  const plan = planOf([requestFor(web)], objects);
  const events = await whenGone(cluster, plan, () => then(cluster), options);
  return told(events).slice(3);
}

test('an orphan is waited for until it has lost its owner', async () => {
  const ends = await endsOf(set, 'orphaned', (cluster) => {
    setTimeout(() => cluster.put({ ...set, ownerReferences: [] }), 100);
  });
  expect(ends).toEqual(['observed web-1 orphaned', 'done gone']);
});

test('a dependent that the plan does not contain is reported, whether it stays or is deleted', async () => {
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

test('dependents of a refused target are not waited for', async () => {
  const other = deployment('other');
  const otherSet = replicaSet('other-1', { ownerReferences: [ownedBy(other)] });
  const shared = replicaSet('shared', { ownerReferences: [ownedBy(web), ownedBy(other)] });
  const cluster = new FakeCluster([web, set, other, otherSet, shared]);
  cluster.onDelete = (record) => {
    cluster.remove(record);
    setTimeout(() => cluster.remove(set), 30);
  };
  answering(cluster, 'other', [forbidden]);
  const whole = deletionsOf(web, set, other, otherSet, shared);
  const plan = { ...whole, requests: deletionsOf(web, other).requests };
  const events = await perform(cluster, plan);
  expect(told(events).slice(1)).toEqual([
    'sent web 200',
    'refused other 403 Forbidden',
    'observed web gone',
    'observed web-1 gone',
    'left other',
    'left other-1',
    'left shared',
    'done failed',
  ]);
});

test('an object that was removed during the last read is not reported as remaining', async () => {
  const cluster = new FakeCluster([web]);
  cluster.onDelete = () => undefined;
  cluster.before = (request) => {
    if (isWatch(request)) return forbidden;
    if (request.method === 'GET' && request.path.endsWith('/web')) cluster.remove(web);
    return undefined;
  };
  const options = { timeout: 40, pace: { poll: 10_000 } };
  const events = await perform(cluster, deletionOf(web), options);
  expect(events.at(-1)).toMatchObject({ ended: 'timed-out', gone: 1, left: 0, differences: 0 });
});

test.each(['object', 'tree'] as const)(
  'an interrupted wait for the %s is no timeout',
  async (wait) => {
    const stop = new AbortController();
    const cluster = new FakeCluster([web]);
    cluster.onDelete = () =>
      cluster.put({ ...web, deletionTimestamp: '2026-01-03T00:00:00Z', finalizers: ['a.com/b'] });
    const plan = deletionOf(web);
    const options = { wait, signal: stop.signal };
    const events = await perform(cluster, plan, options, ({ type }) => {
      if (type === 'observed') stop.abort();
    });
    expect(told(events).at(-1)).toBe('done interrupted');
  },
);

test('skipped objects of a plan are reported before anything is sent', async () => {
  const object = referenceTo(configMap('used'));
  const plan = {
    ...deletionOf(web),
    leftAlone: [{ object, because: 'a pod uses it' }],
  };
  expect(told(await perform(new FakeCluster([web]), plan)).slice(0, 3)).toEqual([
    'planned 1 1',
    'left-alone used: a pod uses it',
    'sent web 200',
  ]);
});

/** Lists alone tell what happens: watches are forbidden. */
function polled(...records: ObjectRecord[]): FakeCluster {
  const cluster = new FakeCluster(records);
  cluster.before = (request) => (isWatch(request) ? forbidden : undefined);
  return cluster;
}

test('a dependent that the plan does not know has gone when a later list does not have it', async () => {
  const late = replicaSet('web-2', { ownerReferences: [ownedBy(web)] });
  const cluster = polled(web, set);
  cluster.onDelete = () => {
    cluster.put(late);
    cluster.remove(web);
  };
  const plan = deletionOf(web, set);
  let looks = 0;
  const { before } = cluster;
  cluster.before = (request) => {
    // It is seen once, and the ReplicaSet that is waited for goes after it.
    const isLook = request.path.endsWith('/replicasets') && !cluster.has(web);
    if (isLook && ++looks === 2) cluster.remove(late);
    if (isLook && looks === 3) cluster.remove(set);
    return before(request);
  };
  expect(told(await perform(cluster, plan))).toContain('unplanned web-2 of web, gone');
});

test('and has not because the list of another namespace does not have it', async () => {
  const bank = deployment('web', { namespace: 'bank' });
  const bankSet = replicaSet('web-1', { namespace: 'bank', ownerReferences: [ownedBy(bank)] });
  const late = replicaSet('web-2', { namespace: 'bank', ownerReferences: [ownedBy(bank)] });
  const cluster = polled(web, set, bank, bankSet);
  cluster.onDelete = (record) => {
    if (record.namespace === 'bank') cluster.put(late);
    cluster.remove(record);
  };
  const all = [web, set, bank, bankSet];
  const plan = { ...deletionsOf(...all), requests: deletionsOf(web, bank).requests };
  let looks = 0;
  const { before } = cluster;
  cluster.before = (request) => {
    const isLook = request.path.endsWith('/replicasets') && !cluster.has(bank);
    if (isLook && ++looks === 5) for (const record of [set, bankSet]) cluster.remove(record);
    return before(request);
  };
  expect(told(await perform(cluster, plan))).toContain('unplanned web-2 of web');
});
