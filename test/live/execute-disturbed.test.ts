import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ProgressEvent } from '../../src/perform/progress-event.ts';
import type { ServerProcess } from '../support/control-plane-processes.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { compactEtcd } from './compact-etcd.ts';

import {
  deleted,
  endOf,
  identity,
  observations,
  only,
  performOn,
  planFor,
} from './perform-plan.ts';
import { isWatch, startProxy, type TestProxy } from './proxy.ts';
import { restartServer } from './restart-server.ts';

/** Without a watch cache every watch reads etcd's history, which can be compacted. */
const plane = await ownControlPlane({
  controllers: ['garbage-collector-controller'],
  apiServerArgs: ['--watch-cache=false'],
});
let proxy: TestProxy;
let client: ClusterClient;
let restarted: ServerProcess | undefined;
const configMaps = '/api/v1/namespaces/disturbed/configmaps';

beforeAll(async () => {
  await plane.create('/api/v1/namespaces', { metadata: { name: 'disturbed' } });
  proxy = await startProxy(plane);
  client = await connect({ server: proxy.address });
});
afterAll(async () => {
  client.close();
  await proxy.close();
  await restarted?.stop();
});
beforeEach(async () => {
  // Names are used again, so what the test before released must be gone.
  await eventually('what was released is gone', async () => {
    const { items } = await plane.get<{ items: KubeObject[] }>(configMaps);
    return items.some(({ metadata }) => metadata.deletionTimestamp) ? undefined : true;
  });
  proxy.before = () => undefined;
  proxy.forget();
});

async function configMap(name: string, owner?: KubeObject, metadata: object = {}) {
  const ownerReferences = owner ? [{ ...identity(owner), blockOwnerDeletion: true }] : [];
  const references = ownerReferences.map(({ namespace: _, ...reference }) => reference);
  const made = { metadata: { name, ownerReferences: references, ...metadata } };
  return plane.create<KubeObject>(configMaps, made);
}

const hold = { finalizers: ['example.com/hold'] };
const release = (name: string) =>
  plane.patch(`${configMaps}/${name}`, { metadata: { finalizers: null } });

const complete = {
  type: 'done',
  ended: 'gone',
  sent: 1,
  refused: 0,
  skipped: 0,
  left: 0,
  differences: 0,
};

/** What a test does once an object is seen to be terminating. */
function whenTerminating(name: string, work: () => Promise<void> | void) {
  let isDone = false;
  return async (event: ProgressEvent) => {
    if (isDone || event.type !== 'observed' || event.object.name !== name) return;
    isDone = true;
    await work();
  };
}

/** A tree whose dependent is held until it is released. */
async function heldTree() {
  const root = await configMap('root');
  const held = await configMap('held', root, hold);
  return planFor([root], deleted(root, held), { propagationPolicy: 'Foreground' });
}

test('a server that is too busy is asked again after the time it says', async () => {
  const busy = await configMap('busy');
  let refusals = 2;
  proxy.before = ({ method }) =>
    method === 'DELETE' && refusals-- > 0
      ? { status: 429, headers: { 'retry-after': '1' } }
      : undefined;
  const began = performance.now();
  const events = await performOn(plane, planFor([busy], deleted(busy)), { client });
  expect(only(events, 'retrying')).toHaveLength(2);
  expect(performance.now() - began).toBeGreaterThan(2_000);
  expect(endOf(events)).toEqual({ ...complete, gone: 1 });
});

test.each(['drop', 'lose'] as const)(
  'a connection that breaks (%s) leaves no doubt about the request',
  async (disturbance) => {
    const fragile = await configMap('fragile', undefined, hold);
    let isFirst = true;
    proxy.before = ({ method }) => {
      if (method !== 'DELETE' || !isFirst) return undefined;
      isFirst = false;
      return disturbance;
    };
    const events = await performOn(plane, planFor([fragile], deleted(fragile)), {
      client,
      onEvent: whenTerminating('fragile', async () => void (await release('fragile'))),
    });
    expect(only(events, 'retrying')).toHaveLength(1);
    const code = disturbance === 'drop' ? 200 : 0;
    expect(only(events, 'sent').map((event) => event.code)).toEqual([code]);
    expect(endOf(events)).toEqual({ ...complete, gone: 1 });
    const deletes = proxy.requests.filter(({ method }) => method === 'DELETE');
    expect(deletes).toHaveLength(disturbance === 'drop' ? 2 : 1);
  },
);

test('watches that are cut go on where they were', async () => {
  const events = await performOn(plane, await heldTree(), {
    client,
    onEvent: whenTerminating('held', async () => {
      proxy.cutWatches();
      await release('held');
    }),
  });
  expect(only(events, 'watch').map(({ state }) => state)).toEqual(['lost', 'resumed']);
  expect(observations(events)).toEqual({ root: 'gone', held: 'gone' });
  expect(endOf(events)).toEqual({ ...complete, gone: 2 });
  const lists = proxy.requests.filter((request) => request.method === 'GET' && !isWatch(request));
  expect(lists).toHaveLength(1);
});

test('what went while history was compacted is found by listing again', async () => {
  const plan = await heldTree();
  let isCut = false;
  const answers: number[] = [];
  proxy.before = async (request) => {
    if (!isWatch(request) || !isCut) return undefined;
    isCut = false;
    await release('held');
    await eventually('all is gone', async () =>
      (await plane.isHealthy(`${configMaps}/root`)) ? undefined : true,
    );
    await plane.create(configMaps, { metadata: { name: `later-${Date.now()}` } });
    await compactEtcd(plane.etcd);
    return undefined;
  };
  const noting: ClusterClient = {
    ...client,
    request: async (request) => {
      const response = await client.request(request);
      if (request.path.includes('watch=true')) answers.push(response.status);
      return response;
    },
  };
  const events = await performOn(plane, plan, {
    client: noting,
    onEvent: whenTerminating('held', () => {
      isCut = true;
      proxy.cutWatches();
    }),
  });
  expect(endOf(events)).toEqual({ ...complete, gone: 2 });
  const lists = proxy.requests.filter((request) => request.method === 'GET' && !isWatch(request));
  expect([lists.length, answers.length]).toEqual([2, 2]);
});

test('interrupted, it says what was sent and what was not', async () => {
  const first = await configMap('first', undefined, hold);
  const second = await configMap('second');
  const interruption = new AbortController();
  const plan = planFor([first, second], deleted(first, second));
  proxy.before = async ({ method, path }) => {
    if (method !== 'DELETE' || !path.includes('/first')) return undefined;
    interruption.abort();
    return undefined;
  };
  const events = await performOn(plane, plan, { client, signal: interruption.signal });
  expect(only(events, 'sent').map(({ request }) => request.name)).toEqual(['first']);
  expect(only(events, 'skipped').map(({ request, reason }) => [request.name, reason])).toEqual([
    ['second', 'not-sent'],
  ]);
  expect(endOf(events)).toEqual({
    ...complete,
    ended: 'interrupted',
    skipped: 1,
    gone: 0,
    left: 2,
  });
  expect(await plane.isHealthy(`${configMaps}/second`)).toBe(true);
  await release('first');
});

test('interrupted while it waits, it ends at once', async () => {
  const interruption = new AbortController();
  const events = await performOn(plane, await heldTree(), {
    client,
    signal: interruption.signal,
    onEvent: whenTerminating('held', () => interruption.abort()),
  });
  expect(endOf(events)).toEqual({ ...complete, ended: 'interrupted', gone: 0, left: 2 });
  await release('held');
});

test('a run goes on when the API server is killed and started again', async () => {
  const late = await configMap('late', undefined, hold);
  const tree = await heldTree();
  const plan = {
    ...tree,
    requests: [...tree.requests, ...planFor([late], []).requests],
    objects: [...tree.objects, ...planFor([], deleted(late)).objects],
  };
  let isDown = false;
  proxy.before = async ({ method, path }) => {
    if (method === 'DELETE' && path.includes('/late') && !isDown) {
      isDown = true;
      void restartServer(plane, plane.pids()[1] ?? 0).then(async (again) => {
        restarted = again;
        await release('held');
        await eventually('the last request', async () => {
          const { metadata } = await plane.get<KubeObject>(`${configMaps}/late`);
          return metadata.deletionTimestamp ? true : undefined;
        });
        await release('late');
      });
      return 'drop';
    }
    return undefined;
  };
  const events = await performOn(plane, plan, { client, timeoutMs: 100_000 });
  expect(only(events, 'retrying').length).toBeGreaterThan(0);
  expect(only(events, 'watch').map(({ state }) => state)).toEqual(['lost', 'resumed']);
  expect(observations(events)).toEqual({ root: 'gone', held: 'gone', late: 'gone' });
  expect(endOf(events)).toEqual({ ...complete, sent: 2, gone: 3 });
});
