import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { ProgressEvent } from '../../../src/perform/progress-event.ts';
import type { ExecuteOptions } from '../../../src/perform/run-context.ts';
import { execute } from '../../../src/perform/send/execute.ts';
import {
  configMap,
  deployment,
  gadget,
  ownedBy,
  replicaSet,
  servedTypes,
} from '../../support/builders.ts';
import { clearanceOf } from '../../support/cleared.ts';
import { FakeCluster, failure } from './fake-cluster.ts';
import {
  answering,
  deletionOf,
  deletionsOf,
  pace,
  perform,
  planned,
  planOf,
  requestFor,
  told,
} from './plans.ts';

const web = deployment('web');
const set = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const one = deletionOf(web);
const deletionTimestamp = '2026-01-03T00:00:00Z';

const endOf = (events: readonly ProgressEvent[]) =>
  told(events).filter((line) => /^(left|difference|unplanned|done)/.test(line));

describe('a run that fails rejects, and follows nothing any more', () => {
  async function runWith(clock: () => number, cluster: FakeCluster): Promise<string> {
    const options: ExecuteOptions = {
      wait: 'tree',
      clearance: clearanceOf(one),
      useResourceVersion: false,
      now: clock,
      pace,
    };
    try {
      await execute(one, cluster.client, servedTypes, options, () => undefined);
      return 'it ended';
    } catch (error) {
      return String(error);
    }
  }

  test.each([0, 1])('after %d events', async (before) => {
    const cluster = new FakeCluster([web]);
    let calls = 0;
    const clock = () => {
      if (calls++ >= before) throw new Error('no clock');
      return 0;
    };
    expect(await runWith(clock, cluster)).toBe('Error: no clock');
    expect(cluster.watching).toBe(0);
  });
});

describe('what is counted in the end', () => {
  test('of what is left', async () => {
    const [a, b] = [configMap('a'), configMap('b')];
    const cluster = new FakeCluster([a, b]);
    cluster.onDelete = (record) => {
      if (record.name === 'a') cluster.remove(record);
    };
    const plan = planOf(
      [a, b].map((record) => requestFor(record)),
      [planned(a, 'deleted'), planned(b, 'terminating')],
    );
    const events = await perform(cluster, plan);
    expect(endOf(events)).toEqual(['left b', 'difference b terminating kept', 'done settled']);
    expect(events.at(-1)).toMatchObject({ sent: 2, gone: 1, left: 1, differences: 1 });
  });
});

test('only objects that are seen to remain are diagnosed', async () => {
  const [held, unseen, gone] = [configMap('held'), gadget('unseen'), configMap('gone')];
  const cluster = new FakeCluster([held, unseen, gone]);
  cluster.before = ({ path, method }) =>
    method === 'GET' && path.includes('/gadgets') ? failure(403, 'Forbidden', 'no') : undefined;
  cluster.onDelete = (record) => {
    if (record.name === 'gone') cluster.remove(record);
    else cluster.put({ ...record, deletionTimestamp, finalizers: ['a/b'] });
  };
  const diagnosed: string[] = [];
  const whyLeft: ExecuteOptions['whyLeft'] = async (_, left) => {
    diagnosed.push(...left.map(({ name }) => name));
    return new Map();
  };
  const plan = deletionsOf(held, unseen, gone);
  const events = await perform(cluster, plan, { whyLeft, timeout: 200 });
  expect(endOf(events).filter((line) => line.startsWith('left'))).toEqual([
    'left held',
    'left unseen',
  ]);
  expect(diagnosed).toEqual(['held']);
});

describe('when nothing is waited for', () => {
  const slow = () => {
    const cluster = new FakeCluster([web, set]);
    cluster.onDelete = (record) => {
      if (record.name === 'web-1') cluster.remove(record);
    };
    return cluster;
  };
  test('an interruption counts only where it kept something from being sent', async () => {
    const endWith = async (signal: AbortSignal, stop: () => void = () => undefined) => {
      const events = await perform(slow(), one, { wait: 'none', signal }, ({ type }) => {
        if (type === 'sent') stop();
      });
      return told(events).at(-1);
    };
    expect(await endWith(AbortSignal.abort())).toBe('done interrupted');
    const stop = new AbortController();
    expect(await endWith(stop.signal, () => stop.abort())).toBe('done not-waited');
  });

  test('a refusal is reported', async () => {
    const cluster = slow();
    answering(cluster, 'web', [failure(403, 'Forbidden', 'no')]);
    expect(endOf(await perform(cluster, one, { wait: 'none' }))).toEqual(['done failed']);
  });
});

describe('the objects that are asked for', () => {
  const holding = (record: ObjectRecord) => {
    const cluster = new FakeCluster([record]);
    cluster.onDelete = () =>
      cluster.put({ ...record, deletionTimestamp, finalizers: ['example.com/hold'] });
    return cluster;
  };

  test('end as the plan says, not as every request does', async () => {
    const plan = planOf([requestFor(web)], [planned(web, 'terminating')]);
    const events = await perform(holding(web), plan, { wait: 'object', timeout: 300 });
    expect(endOf(events)).toEqual(['left web', 'done timed-out']);
  });

  test.each(['tree', 'object'] as const)('are waited for in a %s without a plan', async (wait) => {
    const events = await perform(new FakeCluster([web]), planOf([requestFor(web)], []), { wait });
    expect(told(events)).toEqual(['planned 1 0', 'sent web 200', 'observed web gone', 'done gone']);
  });

  test('and without a limit of time', async () => {
    const cluster = new FakeCluster([web]);
    cluster.onDelete = () => setTimeout(() => cluster.remove(web), 30);
    expect(endOf(await perform(cluster, one, { timeout: undefined }))).toEqual(['done gone']);
  });

  test('nothing is read of them after an interruption', async () => {
    const stop = new AbortController();
    const cluster = holding(web);
    // A watch may just be opened.
    const reads = () => cluster.requests.filter(({ query }) => !query.has('watch')).length;
    let asked = 0;
    const events = await perform(cluster, one, { signal: stop.signal }, ({ type }) => {
      if (type !== 'observed') return;
      stop.abort();
      asked = reads();
    });
    expect(endOf(events).at(-1)).toBe('done interrupted');
    expect(reads()).toBe(asked);
  });
});

describe('before the first request', () => {
  const sets = ['web-1', 'web-2'].map((name) => replicaSet(name));
  const plan = deletionsOf(...sets);

  test('all parts of what may not be listed together are looked at', async () => {
    const cluster = new FakeCluster(sets);
    cluster.before = async ({ path, query, method }) => {
      if (method !== 'GET' || query.has('watch')) return undefined;
      const name = query.get('fieldSelector');
      if (name === 'metadata.name=web-2') await new Promise((resolve) => setTimeout(resolve, 30));
      return path.endsWith('s') && name === null ? failure(403, 'Forbidden', 'no') : undefined;
    };
    // Should they never be, the requests would wait until the time is up.
    const events = await perform(cluster, plan, { pace: { open: 60_000 } });
    expect(endOf(events)).toEqual(['done gone']);
    const asked = cluster.requests.map(({ method, query }) => query.get('watch') ?? method);
    const first = asked.indexOf('DELETE');
    expect(asked.slice(0, first).filter((word) => word === 'true')).toHaveLength(2);
  });

  test.each([
    [20, 20],
    [21, 0],
  ])('of %i single objects, %i are watched', async (many, watched) => {
    const records = Array.from({ length: many }, (_, index) => configMap(`c-${index}`));
    const cluster = new FakeCluster(records);
    cluster.before = ({ path, query }) =>
      path.endsWith('/configmaps') && !query.has('fieldSelector')
        ? failure(403, 'Forbidden', 'no')
        : undefined;
    const whole = deletionsOf(...records);
    const events = await perform(cluster, whole, { pace: { open: 60_000 } });
    expect(endOf(events)).toEqual(['done gone']);
    const names = cluster.requests.flatMap(({ query }) =>
      query.has('watch') ? [query.get('fieldSelector')] : [],
    );
    expect(new Set(names).size).toBe(watched);
  });
});
