import { describe, expect, test } from 'vitest';
import { configMap, pod } from '../../support/builders.ts';
import { answering, failure } from './answers.ts';
import { type Answer, dropped, FakeCluster, type FakeRequest } from './fake-cluster.ts';
import { perform, planned, planOf, requestFor, told } from './plans.ts';

const a = configMap('a');
const request = requestFor(a);
const one = planOf([request], [planned(a, 'deleted')]);
const deletionTimestamp = '2026-01-03T00:00:00Z';
const forbidden = failure(403, 'Forbidden', 'it is forbidden');

/** What was told of requests: `refused … , begun` where the object may be changed. */
async function sendingOf(cluster: FakeCluster, ...rest: [typeof one, ...unknown[]]) {
  const [plan, options = {}] = rest;
  const events = await perform(cluster, plan, options as Parameters<typeof perform>[2]);
  return events.flatMap((event) =>
    ['sent', 'skipped', 'refused'].includes(event.type)
      ? `${told([event])}${'begun' in event && event.begun ? ', begun' : ''}`
      : [],
  );
}

/** Answers each DELETE in turn, after what is to happen before it. */
function inTurn(cluster: FakeCluster, ...turns: (() => Answer | undefined)[]): FakeCluster {
  cluster.before = ({ method }: FakeRequest) =>
    method === 'DELETE' ? turns.shift()?.() : undefined;
  return cluster;
}

const lose = (): never => {
  throw dropped();
};

describe('a deletion whose answer was lost has arrived', () => {
  test('when another object has the name', async () => {
    const cluster = new FakeCluster([a]);
    inTurn(cluster, () => {
      cluster.remove(a);
      cluster.put({ ...a, uid: 'another' });
      return lose();
    });
    expect(await sendingOf(cluster, one)).toEqual(['sent a 0']);
    expect(cluster.deletes).toHaveLength(1);
  });

  test('when the object is terminating, and was not before', async () => {
    const cluster = new FakeCluster([a]);
    inTurn(cluster, () => {
      cluster.put({ ...a, deletionTimestamp, finalizers: ['example.com/hold'] });
      return lose();
    });
    const held = planOf([request], [planned(a, 'terminating')]);
    expect(await sendingOf(cluster, held)).toEqual(['sent a 0']);
    expect(cluster.deletes).toHaveLength(1);
  });

  test('when the next one does not meet the object any more', async () => {
    const cluster = new FakeCluster([a]);
    inTurn(cluster, lose, () => {
      cluster.remove(a);
      return undefined;
    });
    expect(await sendingOf(cluster, one)).toEqual(['sent a 0']);
    expect(cluster.deletes).toHaveLength(2);
  });
});

describe('that an object is terminating shows nothing where it is unknown whether it was before', () => {
  const dying = { ...a, deletionTimestamp, finalizers: ['example.com/hold'] };

  test('as it is not followed', async () => {
    const cluster = inTurn(new FakeCluster([dying]), lose);
    expect(await sendingOf(cluster, one, { wait: 'none' })).toEqual(['sent a 200']);
    expect(cluster.deletes).toHaveLength(2);
  });

  test('as it was not seen yet', async () => {
    const cluster = new FakeCluster([dying]);
    const sent = Promise.withResolvers<void>();
    cluster.before = async ({ method, path }) => {
      if (path.endsWith('/configmaps')) await sent.promise;
      if (method !== 'DELETE') return undefined;
      if (cluster.deletes.length === 1) return lose();
      sent.resolve();
      return undefined;
    };
    expect(await sendingOf(cluster, one, { pace: { open: 0 } })).toEqual(['sent a 200']);
    expect(cluster.deletes).toHaveLength(2);
  });
});

test('that the object cannot be read shows nothing: the deletion is sent again', async () => {
  const cluster = new FakeCluster([a]);
  const turns = [lose];
  cluster.before = ({ method, path }) => {
    if (method === 'DELETE') return turns.shift()?.();
    return path.endsWith('/a') ? forbidden : undefined;
  };
  expect(await sendingOf(cluster, one)).toEqual(['sent a 200']);
  expect(cluster.deletes).toHaveLength(2);
});

test('an object that is not there at the first try is gone, and was not deleted by us', async () => {
  const cluster = new FakeCluster([a]);
  inTurn(cluster, () => {
    cluster.remove(a);
    return undefined;
  });
  expect(await sendingOf(cluster, one)).toEqual(['skipped a gone']);
});

test('a deletion that was refused has not been done because the object is gone', async () => {
  const cluster = inTurn(new FakeCluster([a]), () => {
    cluster.remove(a);
    return forbidden;
  });
  expect(await sendingOf(cluster, one)).toEqual(['refused a 403 Forbidden']);
});

describe('what is refused after an answer was lost may be done all the same', () => {
  test.each<[string, (Answer | Error)[], string]>([
    ['lost', [dropped(), forbidden], 'refused a 403 Forbidden, begun'],
    [
      'lost after the server was busy',
      [failure(429, 'TooManyRequests', 'later'), dropped(), forbidden],
      'refused a 403 Forbidden, begun',
    ],
    ['never lost', [forbidden], 'refused a 403 Forbidden'],
    [
      'never lost by a busy server',
      [failure(429, 'TooManyRequests', 'later'), forbidden],
      'refused a 403 Forbidden',
    ],
  ])('%s', async (_, answers, told) => {
    const cluster = new FakeCluster([a]);
    answering(cluster, 'a', [...answers]);
    expect(await sendingOf(cluster, one)).toEqual([told]);
  });

  test('lost until it is given up', async () => {
    const cluster = new FakeCluster([a]);
    answering(cluster, 'a', Array(1_000).fill(dropped()));
    const given = { pace: { giveUp: 0 }, wait: 'none' };
    expect(await sendingOf(cluster, one, given)).toEqual(['refused a 0 NoAnswer, begun']);
  });

  test('of a rehearsal nothing can be done', async () => {
    const cluster = new FakeCluster([a]);
    answering(cluster, 'a', [dropped(), forbidden]);
    expect(await sendingOf(cluster, one, { dryRun: true })).toEqual(['refused a 403 Forbidden']);
  });

  test('and a rehearsal that meets nothing has deleted nothing', async () => {
    const cluster = new FakeCluster([a]);
    const stop = new AbortController();
    inTurn(cluster, () => {
      stop.abort();
      cluster.remove(a);
      return lose();
    });
    const sending = await sendingOf(cluster, one, { dryRun: true, signal: stop.signal });
    expect(sending.filter((line) => line.startsWith('sent'))).toEqual([]);
  });
});

describe('a conflict', () => {
  const conflict = failure(409, 'Conflict', 'the object is busy');
  test('with an object that is there passes', async () => {
    const cluster = new FakeCluster([a]);
    answering(cluster, 'a', [conflict, conflict]);
    expect(await sendingOf(cluster, one)).toEqual(['sent a 200']);
  });

  test('with an object that has gone meanwhile', async () => {
    const cluster = new FakeCluster([a]);
    inTurn(cluster, () => {
      cluster.remove(a);
      return conflict;
    });
    expect(await sendingOf(cluster, one)).toEqual(['skipped a gone']);
  });
});

test('an object that is written whenever it is to be deleted is left alone in the end', async () => {
  const dependsOn = { finalizers: [], owners: [], terminating: false };
  for (const [changes, options] of [
    [{ resourceVersion: '7', dependsOn }, { useResourceVersion: true }],
  ] as const) {
    const cluster = new FakeCluster([a]);
    cluster.before = ({ method }) => {
      if (method === 'DELETE') cluster.put(a);
      return undefined;
    };
    const plan = planOf([requestFor(a, changes)], one.objects);
    expect(await sendingOf(cluster, plan, options)).toEqual(['skipped a changed']);
    expect(cluster.deletes).toHaveLength(10);
  }
});

test('after an interruption it is not looked whether a changed object may go after all', async () => {
  const stop = new AbortController();
  const cluster = new FakeCluster([a]);
  inTurn(cluster, () => {
    stop.abort();
    return undefined;
  });
  const dependsOn = { finalizers: [], owners: [], terminating: false };
  const plan = planOf([requestFor(a, { resourceVersion: '7', dependsOn })], one.objects);
  const options = { useResourceVersion: true, signal: stop.signal };
  expect(await sendingOf(cluster, plan, options)).toEqual(['skipped a changed']);
  expect(cluster.deletes).toHaveLength(1);
});

describe('a patch before a deletion', () => {
  const dead = pod('dead');
  const patch = { type: 'merge', body: { spec: { paused: true } } } as const;
  const plan = planOf([requestFor(dead, { patch })], [planned(dead, 'deleted')]);

  /** Answers each PATCH in turn. */
  function patched(...turns: ((cluster: FakeCluster) => Answer | undefined)[]): FakeCluster {
    const cluster = new FakeCluster([dead]);
    cluster.before = ({ method }) =>
      method === 'PATCH' ? (turns.shift()?.(cluster) ?? { status: 200 }) : undefined;
    return cluster;
  }

  test('whose answer was lost, of an object that is gone, has deleted nothing', async () => {
    const gone = {
      status: 404,
      body: { kind: 'Status', message: 'no', details: { name: 'dead' } },
    };
    const cluster = patched(
      (there) => {
        there.remove(dead);
        return lose();
      },
      () => gone,
    );
    expect(await sendingOf(cluster, plan)).toEqual(['skipped dead gone, begun']);
    expect(cluster.deletes).toEqual([]);
  });

  test.each([
    ['without a version', {}, false],
    ['without one that it could be bound to', {}, true],
    ['with one that it is not bound to', { resourceVersion: '7' }, false],
  ])('%s meets a conflict that passes', async (_, changes, useResourceVersion) => {
    const cluster = patched(() => failure(409, 'Conflict', 'the object is busy'));
    const unbound = planOf([requestFor(dead, { patch, ...changes })], plan.objects);
    expect(await sendingOf(cluster, unbound, { useResourceVersion })).toEqual(['sent dead 200']);
  });

  test('meets a conflict that is for good where it is bound to a version', async () => {
    const cluster = patched(() => failure(409, 'Conflict', 'the object has been modified'));
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
    const options = { useResourceVersion: true, dryRun: true };
    expect(await sendingOf(cluster, bound, options)).toEqual(['sent dead 200']);
    const [deletion] = cluster.requests.filter(({ method }) => method === 'DELETE');
    expect(deletion?.body).toMatchObject({ preconditions: { resourceVersion: '101' } });
  });

  test('whose deletion is refused in a rehearsal has changed nothing', async () => {
    const cluster = patched();
    const { before } = cluster;
    cluster.before = (asked) => (asked.method === 'DELETE' ? forbidden : before(asked));
    expect(await sendingOf(cluster, plan, { dryRun: true })).toEqual([
      'refused dead 403 Forbidden',
    ]);
  });
});

test('what a server answers that has nothing to watch is told of what is gone or replaced', async () => {
  const cluster = new FakeCluster([configMap('b', { uid: 'another' })]);
  const b = configMap('b');
  cluster.before = ({ method, path }) =>
    method === 'GET' && !path.endsWith('/b') ? forbidden : undefined;
  const both = planOf([request, requestFor(b)], [planned(a, 'deleted'), planned(b, 'deleted')]);
  const events = await perform(cluster, both, { wait: 'object' });
  expect(told(events).filter((line) => line.startsWith('left'))).toEqual([]);
  expect(events.at(-1)).toMatchObject({ ended: 'gone', gone: 2, skipped: 2, left: 0 });
});
