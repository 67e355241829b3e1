import { expect, test } from 'vitest';
import { configMap } from '../../support/builders.ts';
import { dropped, FakeCluster, failure } from './fake-cluster.ts';
import {
  answering,
  deletionOf,
  deletionsOf,
  pace,
  perform,
  reasonsLeft,
  sendingOf,
  told,
} from './plans.ts';

const a = configMap('a', { resourceVersion: '7' });
const b = configMap('b');
const c = configMap('c');
const plan = deletionsOf(a, b);
const one = deletionOf(a);
const forbidden = failure(403, 'Forbidden', 'no');

test('interrupted between two requests, it says which were not sent', async () => {
  const cluster = new FakeCluster([a, b, c]);
  const interruption = new AbortController();
  const three = deletionsOf(a, b, c);
  const events = await perform(cluster, three, { signal: interruption.signal }, (event) => {
    if (event.type === 'sent') interruption.abort();
  });
  const last = events.at(-1);
  expect(cluster.deletes.length).toBeLessThan(3);
  expect(last).toMatchObject({ type: 'done', ended: 'interrupted', sent: cluster.deletes.length });
  const unsent = events.flatMap((event) =>
    event.type === 'skipped' ? [`${event.reason}: ${event.message}`] : [],
  );
  expect(unsent).toEqual(
    Array(3 - cluster.deletes.length).fill('not-sent: the run was interrupted'),
  );
});

test('interrupted before anything was sent, nothing is', async () => {
  const cluster = new FakeCluster([a, b]);
  const events = await perform(cluster, plan, { signal: AbortSignal.abort() });
  expect(told(events)).toEqual([
    'planned 2 2',
    'skipped a not-sent',
    'skipped b not-sent',
    'left a',
    'left b',
    'done interrupted',
  ]);
  expect(cluster.deletes).toEqual([]);
});

test('interrupted while watches are silent, it is unknown whether the deletions have ended', async () => {
  const cluster = new FakeCluster([a, b, c]);
  const interruption = new AbortController();
  // What is deleted is gone, and no watch tells of it.
  cluster.onDelete = (record) => {
    cluster.cutWatches();
    cluster.remove(record);
  };
  cluster.before = ({ query }) => (query.has('watch') ? new Promise(() => {}) : undefined);
  const events = await perform(
    cluster,
    deletionsOf(a, b, c),
    { signal: interruption.signal, pace: { open: 10 } },
    (event) => {
      if (event.type === 'sent' && event.request.name === 'b') interruption.abort();
    },
  );
  const unknown = /^[ab]: unknown whether/;
  const left = reasonsLeft(events).split('\n');
  expect(left.filter((line) => unknown.test(line))).toHaveLength(cluster.deletes.length);
  expect(cluster.deletes.length).toBeGreaterThanOrEqual(2);
});

const late = () =>
  new Promise<never>((_, reject) => setTimeout(() => reject(dropped()), pace.grace + 30));
test.each([
  [
    'an unverified deletion is in doubt',
    () => {
      throw dropped();
    },
    {
      code: 0,
      begun: true,
      message: expect.stringMatching(/; .* may have received it$/),
    },
  ],
  ['a refusal stays', () => forbidden, { code: 403, reason: 'Forbidden' }],
  [
    'no answer is awaited',
    late,
    {
      code: 0,
      reason: 'Interrupted',
    },
  ],
])('after an interruption %s', async (_, answer, refused) => {
  const cluster = new FakeCluster([a]);
  const interruption = new AbortController();
  cluster.before = ({ method, path }) => {
    if (method === 'GET') return path.endsWith('/a') ? forbidden : undefined;
    interruption.abort();
    return answer();
  };
  const events = await perform(cluster, one, { signal: interruption.signal });
  expect(events.find(({ type }) => type === 'refused')).toMatchObject(refused);
  expect(told(events).at(-1)).toBe('done interrupted');
});

test.each(['tree', 'object', 'none'] as const)(
  'the timeout ends retries as well, whatever is waited for: %s',
  async (wait) => {
    const cluster = new FakeCluster([a, b]);
    answering(cluster, 'a', Array(1_000).fill(failure(429, 'TooManyRequests', 'later')));
    const sending = await sendingOf(cluster, plan, { timeout: 10, wait });
    const ended = ['skipped a not-sent', 'skipped b not-sent', 'done timed-out'];
    expect(sending.slice(-3)).toEqual(ended);
  },
);
