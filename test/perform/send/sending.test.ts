import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { configMap, ownedBy } from '../../support/builders.ts';
import { type Answer, dropped, FakeCluster, failure } from './fake-cluster.ts';
import {
  answering,
  deletionOf,
  deletionsOf,
  perform,
  planned,
  planOf,
  requestFor,
  sendingOf,
  told,
} from './plans.ts';

const a = configMap('a', { resourceVersion: '7' });
const b = configMap('b');
const c = configMap('c');
const plan = deletionsOf(a, b);
const one = deletionOf(a);
const dependsOn = { finalizers: [], owners: [], terminating: false };
const bound = planOf([requestFor(a, { resourceVersion: '7', dependsOn })], one.objects);

test('options of a request are sent as planned, with its resourceVersion when asked', async () => {
  const cluster = new FakeCluster([a, b]);
  const request = requestFor(a, {
    propagationPolicy: 'Foreground',
    gracePeriodSeconds: 0,
    resourceVersion: '101',
  });
  await perform(cluster, planOf([request], one.objects), { useResourceVersion: true });
  expect(cluster.requests.find(({ method }) => method === 'DELETE')?.body).toEqual({
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy: 'Foreground',
    gracePeriodSeconds: 0,
    preconditions: { uid: a.uid, resourceVersion: '101' },
  });
});

test('an object of which only the status was written is deleted, at the version that was compared', async () => {
  const cluster = new FakeCluster([a]);
  const events = await perform(cluster, bound, { useResourceVersion: true });
  expect(told(events).slice(1)).toEqual(['sent a 200', 'observed a gone', 'done gone']);
  const sent = cluster.requests.filter(({ method }) => method === 'DELETE');
  expect(sent.map(({ body }) => body?.preconditions)).toEqual([
    { uid: a.uid, resourceVersion: '7' },
    { uid: a.uid, resourceVersion: '101' },
  ]);
});

test('an object is skipped if a part that the plan depends on has changed', async () => {
  const held = configMap('a', { finalizers: ['example.com/hold'] });
  const cluster = new FakeCluster([held]);
  const events = await perform(cluster, bound, { useResourceVersion: true });
  expect(told(events).slice(1)).toEqual(['skipped a changed', 'left a', 'done failed']);
  expect(cluster.deletes).toHaveLength(1);
});

test('an object that was deleted, was replaced or has changed is skipped', async () => {
  const cluster = new FakeCluster([b, configMap('c', { uid: 'other' })]);
  const mixed = planOf(
    [requestFor(a), requestFor(b, { resourceVersion: '1' }), requestFor(c)],
    [planned(a, 'deleted'), planned(b, 'deleted'), planned(c, 'deleted')],
  );
  const events = await perform(cluster, mixed, { useResourceVersion: true });
  expect(told(events)).toEqual([
    'planned 3 3',
    'observed c gone',
    'observed c recreated',
    'observed a gone',
    'skipped a gone',
    'skipped b changed',
    'skipped c replaced',
    'left b',
    'difference c deleted recreated',
    'done failed',
  ]);
  const replaced = events.find((event) => event.type === 'skipped' && event.reason === 'replaced');
  expect(replaced).toMatchObject({
    message: 'another ConfigMap has that name now, with uid other',
  });
  expect(cluster.has(b)).toBe(true);
});

describe('where no request is accepted, nothing is waited for', () => {
  const child = configMap('child', { ownerReferences: [ownedBy(a)] });
  const tree = planOf(
    [requestFor(a)],
    [planned(a, 'deleted'), planned(child, 'deleted', { rule: 'GC-22.13' })],
  );
  const patient = { timeout: undefined, pace: { silence: 10_000 } };
  const endOf = async (records: ObjectRecord[], onDelete?: (cluster: FakeCluster) => void) => {
    const cluster = new FakeCluster(records);
    cluster.before = ({ method }) => {
      if (method === 'DELETE') onDelete?.(cluster);
      return undefined;
    };
    const events = await perform(cluster, tree, patient);
    return told(events).filter((line) => /^(skipped|left|unplanned|done)/.test(line));
  };

  test('the dependents of an object that was replaced are not waited for', async () => {
    const replaced = (cluster: FakeCluster) => {
      cluster.remove(a);
      cluster.put(configMap('a', { uid: 'new' }));
    };
    expect(await endOf([a, child], replaced)).toEqual(['skipped a replaced', 'done failed']);
  });

  test('the dependents of an object that somebody else has deleted are not waited for', async () => {
    const late = configMap('late', { ownerReferences: [ownedBy(a)] });
    expect(await endOf([child, late])).toEqual(['skipped a gone', 'done failed']);
    expect(await endOf([])).toEqual(['skipped a gone', 'done gone']);
  });
});

test.each([
  [403, 'Forbidden', 'configmaps "a" is forbidden'],
  [422, 'Invalid', 'DeleteOptions is invalid'],
  [405, 'MethodNotAllowed', 'no such method'],
  [500, 'InternalError', 'admission webhook "keep" denied the request: it is in use'],
])('%i is final, and the next request follows, as with kubectl', async (code, reason, message) => {
  const cluster = new FakeCluster([a, b]);
  answering(cluster, 'a', [failure(code, reason, message)]);
  const events = await perform(cluster, plan);
  expect(told(events).filter((line) => !line.startsWith('observed'))).toEqual([
    'planned 2 2',
    `refused a ${code} ${reason}`,
    'sent b 200',
    'left a',
    'done failed',
  ]);
  expect(events.find(({ type }) => type === 'refused')).toMatchObject({ message });
});

test('requested objects are not waited for when one was refused, as with kubectl', async () => {
  const cluster = new FakeCluster([a, b]);
  cluster.onDelete = () => undefined;
  answering(cluster, 'a', [failure(403, 'Forbidden', 'no')]);
  const began = performance.now();
  expect(await sendingOf(cluster, plan, { wait: 'object' })).toEqual([
    'refused a 403 Forbidden',
    'sent b 200',
    'done failed',
  ]);
  expect(performance.now() - began).toBeLessThan(1_000);
});

const later = (retryAfter: object) => failure(503, 'ServiceUnavailable', 'later', retryAfter);
test.each<[string, Answer[], string[]]>([
  [
    'Retry-After is waited for',
    [
      { ...failure(429, 'TooManyRequests', 'later'), headers: { 'retry-after': '0' } },
      later({ retryAfterSeconds: 0 }),
    ],
    ['retrying a', 'retrying a', 'sent a 200', 'done gone'],
  ],
  [
    'server errors are retried thrice',
    Array(10).fill(failure(500, 'InternalError', 'failed calling webhook "keep"')),
    ['retrying a', 'retrying a', 'retrying a', 'refused a 500 InternalError', 'done failed'],
  ],
  [
    'an HTML 404 is no missing object',
    [{ status: 404, body: '<html>' }],
    ['refused a 404 ', 'done failed'],
  ],
  [
    'ignored preconditions are detected',
    [{ status: 200, body: { kind: 'ConfigMap', metadata: { uid: 'other' } } }],
    ['refused a 200 OtherObject', 'done failed'],
  ],
])('%s', async (_, answers, lines) => {
  const cluster = new FakeCluster([a]);
  answering(cluster, 'a', answers);
  expect(await sendingOf(cluster, one)).toEqual(lines);
});

test('a server that stays busy is given up', async () => {
  const cluster = new FakeCluster([a]);
  answering(cluster, 'a', Array(1_000).fill(failure(429, 'TooManyRequests', 'later')));
  const sending = await sendingOf(cluster, one, { pace: { giveUp: 600 } });
  expect(sending.slice(-2)).toEqual(['refused a 429 TooManyRequests', 'done failed']);
  expect(new Set(sending.slice(0, -2))).toEqual(new Set(['retrying a']));
});

test('a namespace that is terminating already is followed', async () => {
  const cluster = new FakeCluster([a]);
  cluster.before = ({ method }) => {
    if (method !== 'DELETE') return undefined;
    cluster.put({ ...a, deletionTimestamp: '2026-01-01T00:00:00Z' });
    setTimeout(() => cluster.remove(a), 20);
    return failure(409, 'Conflict', 'content is being removed');
  };
  expect(await sendingOf(cluster, one)).toEqual(['skipped a terminating', 'done gone']);
});

test('no deletion is sent without a uid, or for a kind that is not served', async () => {
  const cluster = new FakeCluster([a, b]);
  const odd = planOf(
    [
      requestFor(a, { uid: '' }),
      requestFor(b, { apiVersion: 'gone.example.com/v1', kind: 'Gone' }),
    ],
    [],
  );
  const sending = await sendingOf(cluster, odd);
  expect(sending).toEqual(['refused a 0 NoUid', 'refused b 0 NotServed', 'done failed']);
  expect(cluster.deletes).toEqual([]);
});

test('interrupted after a broken connection, it is looked once more', async () => {
  const cluster = new FakeCluster([a]);
  const interruption = new AbortController();
  cluster.before = ({ method }) => {
    if (method !== 'DELETE') return undefined;
    interruption.abort();
    cluster.remove(a);
    throw dropped();
  };
  const sending = await sendingOf(cluster, one, { signal: interruption.signal });
  expect(sending).toEqual(['sent a 0', 'done interrupted']);
});

test('requests are sent one after the other', async () => {
  const cluster = new FakeCluster([a, b, c]);
  let running = 0;
  let most = 0;
  cluster.before = async ({ method }) => {
    if (method !== 'DELETE') return undefined;
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    return undefined;
  };
  await perform(cluster, deletionsOf(a, b, c));
  expect(most).toBe(1);
  expect(cluster.deletes.map((path) => path.at(-1))).toEqual(['a', 'b', 'c']);
});
