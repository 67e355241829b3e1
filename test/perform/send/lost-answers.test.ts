import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/deletion/plan/plan.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { configMap, pod } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { type Answer, dropped, FakeCluster, type FakeRequest, failure } from './fake-cluster.ts';
import {
  deletionsOf,
  perform,
  planned,
  planOf,
  type RunWishes,
  requestFor,
  told,
} from './plans.ts';

const a = configMap('a');
const request = requestFor(a);
const one = planOf([request], [planned(a, 'deleted')]);
const deletionTimestamp = '2026-01-03T00:00:00Z';
const forbidden = failure(403, 'Forbidden', 'it is forbidden');

/** What was told of requests: `refused … , begun` where the object may be changed. */
async function sendingOf(cluster: FakeCluster, plan: Plan, options: RunWishes = {}) {
  const events = await perform(cluster, plan, options);
  return events.flatMap((event) =>
    ['sent', 'skipped', 'refused'].includes(event.type)
      ? `${told([event])}${'begun' in event && event.begun ? ', begun' : ''}`
      : [],
  );
}

type Turn = (cluster: FakeCluster) => Answer | undefined;

/** Answers each DELETE in turn, after what is to happen before it. */
function inTurn(cluster: FakeCluster, ...turns: readonly Turn[]): FakeCluster {
  const left = [...turns];
  cluster.before = ({ method }: FakeRequest) =>
    method === 'DELETE' ? left.shift()?.(cluster) : undefined;
  return cluster;
}

const lose: Turn = () => {
  throw dropped();
};
const go = (then: Turn = () => undefined): Turn => {
  return (cluster) => {
    cluster.remove(a);
    return then(cluster);
  };
};
const become = (record: ObjectRecord, then: Turn = () => undefined): Turn => {
  return (cluster) => {
    cluster.put(record);
    return then(cluster);
  };
};
const dying = { ...a, deletionTimestamp, finalizers: ['example.com/hold'] };
const turns: Readonly<Record<string, Turn>> = {
  lost: lose,
  refused: () => forbidden,
  busy: () => failure(429, 'TooManyRequests', 'later'),
  conflict: () => failure(409, 'Conflict', 'the object is busy'),
  gone: go(),
  'gone+lost': go(lose),
  'gone+refused': go(() => forbidden),
  'gone+conflict': go(() => failure(409, 'Conflict', 'the object is busy')),
  'dying+lost': become(dying, lose),
  'another+lost': go(become({ ...a, uid: 'another' }, lose)),
};
const unseen = { wait: 'none' } as const;
const settings: Readonly<Record<string, RunWishes>> = {
  unseen,
  rehearsed: { rehearses: true },
};

// How a deletion is answered in turn, what is told of it, how often it is sent, and how else it was.
const rows = rowsOf(`
  arrived when another object has the name               | another+lost      | sent a 0                       | 1
  arrived when the object is gone                        | gone+lost         | sent a 0                       | 1
  arrived when the next one does not meet the object     | lost gone         | sent a 0                       | 2
  not arrived when the object is as it was               | lost lost         | sent a 200                     | 3
  not arrived when it was terminating before             | lost              | sent a 200                     | 2 | dying
  not arrived when it is terminating and not followed    | lost              | sent a 200                     | 2 | dying unseen
  not arrived when it is terminating and was not seen before | dying+lost        | sent a 200                     | 2
  not arrived when it was gone at the first try          | gone              | skipped a gone                 | 1
  not arrived when it is gone and the request refused    | gone+refused      | refused a 403 Forbidden        | 1
  perhaps done when lost, then refused                   | lost refused      | refused a 403 Forbidden, begun | 2
  perhaps done when lost after the server was busy       | busy lost refused | refused a 403 Forbidden, begun | 3
  not done when never lost, but refused                  | refused           | refused a 403 Forbidden        | 1
  not done when never lost by a busy server              | busy refused      | refused a 403 Forbidden        | 2
  not done when rehearsed                                | lost refused      | refused a 403 Forbidden        | 2 | rehearsed
  sent again after a conflict with an object that is there | conflict conflict | sent a 200                   | 3
  not needed after a conflict with an object that is gone | gone+conflict    | skipped a gone                 | 1
`);
test.each(rows)('a deletion is %s', async (_, answers = '', line, deletes, how = '') => {
  const there = how.includes('dying') ? dying : a;
  const cluster = inTurn(
    new FakeCluster([there]),
    ...answers.split(' ').flatMap((one) => turns[one] ?? []),
  );
  const options = settings[how.replace('dying ', '')] ?? {};
  expect(await sendingOf(cluster, one, options)).toEqual([line]);
  expect(cluster.deletes).toHaveLength(Number(deletes));
});

test('a deletion whose answer was lost has arrived when the object is terminating, and was not before', async () => {
  const b = configMap('b');
  const cluster = inTurn(new FakeCluster([a, b]), become(dying, lose));
  const two = planOf([request], [planned(a, 'deleted'), planned(b, 'kept')]);
  expect(await sendingOf(cluster, two)).toEqual(['sent a 0']);
  expect(cluster.deletes).toHaveLength(1);
});

test('that an object is terminating shows nothing where it was not seen before', async () => {
  const cluster = new FakeCluster([dying]);
  const sent = Promise.withResolvers<void>();
  cluster.before = async ({ method, path }) => {
    if (path.endsWith('/configmaps')) await sent.promise;
    if (method !== 'DELETE') return undefined;
    if (cluster.deletes.length === 1) return lose(cluster);
    sent.resolve();
    return undefined;
  };
  expect(await sendingOf(cluster, one, { pace: { open: 0 } })).toEqual(['sent a 200']);
  expect(cluster.deletes).toHaveLength(2);
});

test('that the object cannot be read shows nothing: the deletion is sent again', async () => {
  const cluster = inTurn(new FakeCluster([a]), lose);
  const { before } = cluster;
  cluster.before = (asked) =>
    asked.method === 'GET' && asked.path.endsWith('/a') ? forbidden : before(asked);
  expect(await sendingOf(cluster, one)).toEqual(['sent a 200']);
  expect(cluster.deletes).toHaveLength(2);
});

test('an answer that is lost until it is given up may be done all the same', async () => {
  const cluster = inTurn(new FakeCluster([a]), ...Array(1_000).fill(lose));
  const given = { pace: { giveUp: 0 }, ...unseen };
  expect(await sendingOf(cluster, one, given)).toEqual(['refused a 0 NoAnswer, begun']);
});

test('a rehearsal that meets nothing has deleted nothing', async () => {
  const stop = new AbortController();
  const interrupt: Turn = (cluster) => {
    stop.abort();
    return go(lose)(cluster);
  };
  const cluster = inTurn(new FakeCluster([a]), interrupt);
  const sending = await sendingOf(cluster, one, { rehearses: true, signal: stop.signal });
  expect(sending.filter((line) => line.startsWith('sent'))).toEqual([]);
});

test.each([
  ['an ever-changing object is skipped', 10],
  ['interruptions end the retries', 1],
])('%s', async (_, deletes) => {
  const stop = new AbortController();
  const dependsOn = { finalizers: [], owners: [], terminating: false };
  const plan = planOf([requestFor(a, { resourceVersion: '7', dependsOn })], one.objects);
  const write: Turn = (cluster) => {
    if (deletes === 1) stop.abort();
    return become(a)(cluster);
  };
  const cluster = inTurn(new FakeCluster([a]), ...Array(20).fill(write));
  const options = { useResourceVersion: true, signal: stop.signal };
  expect(await sendingOf(cluster, plan, options)).toEqual(['skipped a changed']);
  expect(cluster.deletes).toHaveLength(deletes);
});

describe('a patch before a deletion', () => {
  const dead = pod('dead');
  const patch = { type: 'merge', body: { spec: { paused: true } } } as const;
  const plan = planOf([requestFor(dead, { patch })], [planned(dead, 'deleted')]);

  /** Answers each PATCH in turn. */
  function patched(...turns: Turn[]): FakeCluster {
    const cluster = new FakeCluster([dead]);
    cluster.before = ({ method }) =>
      method === 'PATCH' ? (turns.shift()?.(cluster) ?? { status: 200 }) : undefined;
    return cluster;
  }

  test('whose answer was lost, of an object that does not exist, has deleted nothing', async () => {
    const gone = {
      status: 404,
      body: { kind: 'Status', message: 'no', details: { name: 'dead' } },
    };
    const cluster = patched(
      (there) => {
        there.remove(dead);
        return lose(there);
      },
      () => gone,
    );
    expect(await sendingOf(cluster, plan)).toEqual(['skipped dead gone, begun']);
    expect(cluster.deletes).toEqual([]);
  });

  test.each([
    ['without a version', {}, false],
    ['without a resourceVersion', {}, true],
    ['with an unused resourceVersion', { resourceVersion: '7' }, false],
  ])('%s retries after conflicts', async (_, changes, useResourceVersion) => {
    const cluster = patched(() => failure(409, 'Conflict', 'the object is busy'));
    const unbound = planOf([requestFor(dead, { patch, ...changes })], plan.objects);
    expect(await sendingOf(cluster, unbound, { useResourceVersion })).toEqual(['sent dead 200']);
  });

  test('meets a conflict that is for good where it is bound to a version', async () => {
    const cluster = patched(() => failure(409, 'Conflict', 'modified'));
    const bound = planOf([requestFor(dead, { patch, resourceVersion: '7' })], plan.objects);
    const sending = await sendingOf(cluster, bound, { useResourceVersion: true });
    expect(sending).toEqual(['skipped dead changed']);
    expect(cluster.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
    expect(cluster.deletes).toEqual([]);
  });

  test('that is rehearsed is followed by a rehearsal of the deletion as it was planned', async () => {
    const cluster = patched(() => ({
      status: 200,
      body: { kind: 'Pod', metadata: { uid: dead.uid, resourceVersion: '8' } },
    }));
    const bound = planOf([requestFor(dead, { patch, resourceVersion: '101' })], plan.objects);
    const options = { useResourceVersion: true, rehearses: true } as const;
    expect(await sendingOf(cluster, bound, options)).toEqual(['sent dead 200']);
    const [deletion] = cluster.requests.filter(({ method }) => method === 'DELETE');
    expect(deletion?.body).toMatchObject({ preconditions: { resourceVersion: '101' } });
  });

  test('whose deletion is refused in a rehearsal has changed nothing', async () => {
    const cluster = patched();
    const { before } = cluster;
    cluster.before = (asked) => (asked.method === 'DELETE' ? forbidden : before(asked));
    expect(await sendingOf(cluster, plan, { rehearses: true })).toEqual([
      'refused dead 403 Forbidden',
    ]);
  });
});

test('a server without watches reports deleted and replaced objects', async () => {
  const cluster = new FakeCluster([configMap('b', { uid: 'another' })]);
  const b = configMap('b');
  cluster.before = ({ method, path }) =>
    method === 'GET' && !path.endsWith('/b') ? forbidden : undefined;
  const events = await perform(cluster, deletionsOf(a, b), { wait: 'object' });
  expect(told(events).filter((line) => line.startsWith('left'))).toEqual([]);
  expect(events.at(-1)).toMatchObject({ ended: 'gone', gone: 2, skipped: 2, left: 0 });
});
