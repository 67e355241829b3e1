import { expect, test } from 'vitest';
import { configMap, deployment, pod, widget } from '../../support/builders.ts';
import { answering, failure, sendingOf } from './answers.ts';
import { dropped, FakeCluster } from './fake-cluster.ts';
import { pace, perform, planned, planOf, requestFor, told } from './plans.ts';

const a = configMap('a', { resourceVersion: '7' });
const b = configMap('b');
const c = configMap('c');
const plan = planOf([requestFor(a), requestFor(b)], [planned(a, 'deleted'), planned(b, 'deleted')]);
const one = planOf([requestFor(a)], [planned(a, 'deleted')]);

const leaf = pod('leaf');
const middle = widget('middle');
const root = deployment('root');
const waves = planOf(
  [leaf, middle, root].map((record, wave) => requestFor(record, { wave })),
  [planned(leaf, 'deleted'), planned(middle, 'deleted'), planned(root, 'deleted')],
);

test('a wave is sent when the one before it is gone', async () => {
  const cluster = new FakeCluster([leaf, middle, root]);
  cluster.onDelete = (record) => setTimeout(() => cluster.remove(record), 10);
  expect(told(await perform(cluster, waves, { wait: 'none' }))).toEqual([
    'planned 3 3',
    'sent leaf 200',
    'observed leaf gone',
    'sent middle 200',
    'observed middle gone',
    'sent root 200',
    'done not-waited',
  ]);
});

test('waves are sent in their order, whatever the order of the requests', async () => {
  const cluster = new FakeCluster([leaf, middle, root]);
  const { requests, objects } = waves;
  await perform(cluster, planOf(requests.toReversed(), objects), { wait: 'none' });
  expect(cluster.deletes.map((path) => path.split('/').at(-1))).toEqual(['leaf', 'middle', 'root']);
});

test('one refusal of a wave ends the waves, although the rest of it went', async () => {
  const twig = pod('twig');
  const cluster = new FakeCluster([leaf, twig, root]);
  answering(cluster, 'leaf', [failure(403, 'Forbidden', 'no')]);
  const plan = planOf(
    [requestFor(leaf), requestFor(twig), requestFor(root, { wave: 1 })],
    [leaf, twig, root].map((record) => planned(record, 'deleted')),
  );
  expect((await sendingOf(cluster, plan)).sort()).toEqual([
    'done failed',
    'refused leaf 403 Forbidden',
    'sent twig 200',
    'skipped root not-sent',
  ]);
});

test('some requests of a wave are sent at the same time', async () => {
  const leaves = Array.from({ length: 8 }, (_, index) => pod(`leaf-${index}`));
  const cluster = new FakeCluster([...leaves, root]);
  let running = 0;
  let most = 0;
  let together = Promise.withResolvers<void>();
  cluster.before = async ({ method, path }) => {
    if (method !== 'DELETE' || path.endsWith('/root')) return undefined;
    most = Math.max(most, ++running);
    const { promise, resolve } = together;
    if (running === 4) {
      together = Promise.withResolvers();
      resolve();
    }
    await Promise.race([promise, new Promise((late) => setTimeout(late, 2_000))]);
    running -= 1;
    return undefined;
  };
  const plan = planOf(
    [...leaves.map((record) => requestFor(record)), requestFor(root, { wave: 1 })],
    [...leaves, root].map((record) => planned(record, 'deleted')),
  );
  await perform(cluster, plan, { wait: 'none' });
  expect(most).toBe(4);
});

test('a refusal ends the waves: its owner would take it along', async () => {
  const cluster = new FakeCluster([leaf, middle, root]);
  answering(cluster, 'leaf', [failure(403, 'Forbidden', 'no')]);
  expect(await sendingOf(cluster, waves)).toEqual([
    'refused leaf 403 Forbidden',
    'skipped middle not-sent',
    'skipped root not-sent',
    'done failed',
  ]);
});

test('a wave that is foreseen to stay ends the waves', async () => {
  const cluster = new FakeCluster([leaf, middle, root]);
  cluster.onDelete = (record) =>
    cluster.put({ ...record, deletionTimestamp: '2026-01-03T00:00:00Z', finalizers: ['x/y'] });
  const stuck = { ...waves, objects: [planned(leaf, 'terminating')] };
  const events = await perform(cluster, stuck);
  const sending = told(events).filter((line) => /^(sent|skipped|done)/.test(line));
  expect(sending).toEqual([
    'sent leaf 200',
    'skipped middle not-sent',
    'skipped root not-sent',
    'done failed',
  ]);
  const why = events.flatMap((event) => (event.type === 'skipped' ? [event.message] : []));
  expect(why).toEqual(Array(2).fill('Pod leaf of the wave before it is still there'));
  expect(cluster.has(root)).toBe(true);
});

test('interrupted between two requests, it says which were not sent', async () => {
  const cluster = new FakeCluster([a, b, c]);
  const interruption = new AbortController();
  const three = planOf(
    [a, b, c].map((record) => requestFor(record)),
    [a, b, c].map((record) => planned(record, 'deleted')),
  );
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
    'left a: no request to delete it was accepted',
    'left b: no request to delete it was accepted',
    'done interrupted',
  ]);
  expect(cluster.deletes).toEqual([]);
});

test('after an interruption a lost deletion that cannot be looked at is in doubt', async () => {
  const cluster = new FakeCluster([a]);
  const interruption = new AbortController();
  cluster.before = ({ method, path }) => {
    if (method === 'GET') return path.endsWith('/a') ? failure(403, 'Forbidden', 'no') : undefined;
    interruption.abort();
    throw dropped();
  };
  const events = await perform(cluster, one, { signal: interruption.signal });
  expect(events.find(({ type }) => type === 'refused')).toMatchObject({
    code: 0,
    begun: true,
    message:
      'the connection was closed before the answer was complete; the server may have received it',
  });
});

test('and one that was refused is refused', async () => {
  const cluster = new FakeCluster([a]);
  const interruption = new AbortController();
  cluster.before = ({ method }) => {
    if (method !== 'DELETE') return undefined;
    interruption.abort();
    return failure(403, 'Forbidden', 'no');
  };
  expect(await sendingOf(cluster, one, { signal: interruption.signal })).toEqual([
    'refused a 403 Forbidden',
    'done interrupted',
  ]);
});

test('an answer that does not come after an interruption is not waited for', async () => {
  const cluster = new FakeCluster([a]);
  const interruption = new AbortController();
  cluster.before = ({ method }) => {
    if (method !== 'DELETE') return undefined;
    interruption.abort();
    return new Promise((_, reject) => setTimeout(() => reject(dropped()), pace.grace + 30));
  };
  const events = await perform(cluster, one, { signal: interruption.signal });
  expect(events.find(({ type }) => type === 'refused')).toMatchObject({
    code: 0,
    reason: 'Interrupted',
    message: 'the run ended before the answer; the server may have accepted the request',
  });
});

test('the timeout ends retries as well', async () => {
  const cluster = new FakeCluster([a, b]);
  answering(cluster, 'a', Array(1_000).fill(failure(429, 'TooManyRequests', 'later')));
  const sending = await sendingOf(cluster, plan, { timeoutMs: 60 });
  expect(sending.slice(-3)).toEqual(['skipped a not-sent', 'skipped b not-sent', 'done timed-out']);
});
