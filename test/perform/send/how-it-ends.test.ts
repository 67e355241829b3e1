import { expect, test } from 'vitest';
import type { PlannedObject } from '../../../src/deletion/plan/plan.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { builderOf, configMap, deployment, ownedBy, replicaSet } from '../../support/builders.ts';
import { FakeCluster } from './fake-cluster.ts';
import { deletionOf, perform, planned, planOf, requestFor, told, whenGone } from './plans.ts';

const web = deployment('web');
const set = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const namespace = builderOf('v1', 'Namespace');
const deletionTimestamp = '2026-01-03T00:00:00Z';

/** What is told once the Deployment is gone of a ReplicaSet that `then` becomes of. */
async function endOf(
  foreseen: PlannedObject,
  then: (cluster: FakeCluster) => void,
  present: ObjectRecord = set,
): Promise<string[]> {
  const cluster = new FakeCluster([web, present]);
  const plan = planOf([requestFor(web)], [planned(web, 'deleted'), foreseen]);
  const events = await whenGone(cluster, plan, () => then(cluster));
  return told(events).filter((line) => /^(difference|left|done)/.test(line));
}

test('what is kept until a program removes a finalizer, and goes then, is no difference', async () => {
  const then = 'deleted';
  const kept = planned(set, 'kept', { then });
  expect(await endOf(kept, (cluster) => cluster.remove(set))).toEqual(['done gone']);
  const going = { ...set, deletionTimestamp, finalizers: ['a.com/b'] };
  expect(await endOf(kept, (cluster) => cluster.put(going))).toEqual(['done gone']);
});

test('what should wait for a finalizer and is not even marked is a difference', async () => {
  const held = planned(set, 'terminating', {
    blockedBy: [{ kind: 'finalizer', name: 'example.com/hold' }],
  });
  expect(await endOf(held, () => undefined)).toContain('difference web-1 terminating kept');
});

test.each(['object', 'tree'] as const)(
  'an interruption while the %s is waited for is no timeout',
  async (wait) => {
    const stop = new AbortController();
    const cluster = new FakeCluster([web]);
    cluster.onDelete = () => cluster.put({ ...web, deletionTimestamp, finalizers: ['a.com/b'] });
    const plan = deletionOf(web);
    const options = { wait, signal: stop.signal };
    const events = await perform(cluster, plan, options, ({ type }) => {
      if (type === 'observed') stop.abort();
    });
    expect(told(events).at(-1)).toBe('done interrupted');
  },
);

test('a namespace that does not go says what it still holds', async () => {
  const shop = namespace('shop');
  const conditions = [
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      message: 'pods. has 2 resource instances',
    },
    { type: 'NamespaceDeletionDiscoveryFailure', status: 'False', message: 'all is well' },
  ];
  const cluster = new FakeCluster([shop]);
  cluster.onDelete = () => cluster.put({ ...shop, deletionTimestamp, facts: { conditions } });
  const plan = deletionOf(shop);
  const events = await perform(cluster, plan, { timeout: 60 });
  expect(told(events)).toContain('left shop: pods. has 2 resource instances');
});

test('what a plan leaves alone is told before anything is sent', async () => {
  const object = referenceTo(configMap('used'));
  const plan = {
    ...planOf([requestFor(web)], [planned(web, 'deleted')]),
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
  const body = { kind: 'Status', reason: 'Forbidden', message: 'it may not be watched' };
  cluster.before = ({ query }) => (query.has('watch') ? { status: 403, body } : undefined);
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
  const plan = planOf(
    [web, bank].map((record) => requestFor(record)),
    all.map((record) => planned(record, 'deleted')),
  );
  let looks = 0;
  const { before } = cluster;
  cluster.before = (request) => {
    const isLook = request.path.endsWith('/replicasets') && !cluster.has(bank);
    if (isLook && ++looks === 5) for (const record of [set, bankSet]) cluster.remove(record);
    return before(request);
  };
  expect(told(await perform(cluster, plan))).toContain('unplanned web-2 of web');
});
