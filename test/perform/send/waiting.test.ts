import { describe, expect, test } from 'vitest';
import { GcError } from '../../../src/errors.ts';
import { FOREGROUND, type ObjectRecord, ORPHAN } from '../../../src/kube/object-record.ts';
import { progressLines } from '../../../src/questions/delete/progress/progress-lines.ts';
import { builderOf, deployment, ownedBy, pod, replicaSet } from '../../support/builders.ts';
import { FakeCluster } from './fake-cluster.ts';
import { deletionOf, perform, reasonsLeft, told } from './plans.ts';

const lease = builderOf('coordination.k8s.io/v1', 'Lease');
const node = builderOf('v1', 'Node');
const namespace = builderOf('v1', 'Namespace');
const web = deployment('web');
const set = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const deletionTimestamp = '2026-01-03T00:00:00Z';
const now = Date.parse('2026-01-03T00:10:00Z');

const manager = (renewTime: string) =>
  lease('kube-controller-manager', {
    namespace: 'kube-system',
    facts: { renewTime, leaseDurationSeconds: 15 },
  });
const kubelet = (renewTime: string) =>
  lease('w1', { namespace: 'kube-node-lease', facts: { renewTime, leaseDurationSeconds: 40 } });
const ready = (status: string) =>
  node('w1', { facts: { conditions: [{ type: 'Ready', status }] } });

/** Short enough for a test, and long enough for several looks. */
const impatience = { silence: 20, lookAgain: 20, actorGone: 200, actorUnseen: 1_000 };
const impatient = { now: () => now, pace: impatience };

/** Deletes the Deployment; `left` is what stays then. */
async function waited(
  left: readonly ObjectRecord[],
  around: readonly ObjectRecord[],
  {
    timeout,
    signal,
    onWaiting,
  }: { timeout?: number; signal?: AbortSignal; onWaiting?: (cluster: FakeCluster) => void } = {},
) {
  const cluster = new FakeCluster([web, ...left, ...around]);
  const given = { ...impatient, timeout, signal };
  const events = await perform(cluster, deletionOf(web, ...left), given, ({ type }) => {
    if (type === 'waiting') onWaiting?.(cluster);
  });
  const lines = told(events).filter((line) => /^(waiting|left|done)/.test(line));
  const said = events.flatMap((event) => (event.type === 'waiting' ? progressLines(event) : []));
  return { lines, said, left: reasonsLeft(events) };
}

describe('where nothing happens, it is said who has to act', () => {
  test('the garbage collector, whose controller manager has no Lease: given up late', async () => {
    const { lines, said, left } = await waited([set], []);
    expect(lines).toEqual([
      'waiting garbage-collector unseen web-1 of web',
      'left web-1',
      'done stalled',
    ]);
    expect([left, ...said].join('\n')).toMatchInlineSnapshot(`
      "web-1: its owners were deleted, but it is not collected yet; why --gc reports whether the garbage collector runs
      Waiting for the garbage collector to delete replicaset.apps/web-1 in shop of deployment.apps/web: 1 object overdue: the garbage collector should have deleted or changed it; kube-controller-manager has no Lease: it does not run, or it runs without leader election.
        kubectl gc why --gc"
    `);
  });

  test('the garbage collector, whose controller manager stopped renewing its Lease: given up soon', async () => {
    const began = performance.now();
    const { lines, said } = await waited([set], [manager('2026-01-03T00:06:00Z')]);
    expect(lines).toContain('done stalled');
    expect(performance.now() - began).toBeLessThan(impatience.actorUnseen);
    expect(said[0]).toMatch(/^Waiting .* Lease for 4m/);
  });

  test('the kubelet of a Node that is silent', async () => {
    const bound = pod('a', { facts: { nodeName: 'w1' }, deletionTimestamp });
    const { lines, said, left } = await waited([bound], [ready('Unknown')]);
    expect(lines).toEqual(['waiting kubelet w1 gone a', 'left a', 'done stalled']);
    expect([left, ...said].join('\n')).toMatchInlineSnapshot(`
      "a: the kubelet of node w1 has not confirmed that it has stopped
      Waiting for the kubelet of Node w1 to end pod/a in shop: Node w1 does not report that it is ready.
        kubectl gc why pod/a -n shop"
    `);
  });

  const bound = pod('a', { facts: { nodeName: 'w1' }, deletionTimestamp });
  const held = { ...set, deletionTimestamp, finalizers: ['example.com/hold'] };
  const ending = { ...namespace('shop'), deletionTimestamp };
  const loose = pod('loose');
  const owner = { ...set, deletionTimestamp, finalizers: [FOREGROUND] };
  const below = {
    ...bound,
    ownerReferences: [{ ...ownedBy(set), blockOwnerDeletion: true }],
  };
  test.each<[string, ObjectRecord[], ObjectRecord[], string]>([
    ['the kubelet of a Node that does not exist', [bound], [], 'kubelet w1 gone a'],
    ['whoever removes a finalizer', [held], [], 'finalizer example.com/hold unseen web-1 of web'],
    [
      'the garbage collector, as it orphans dependents',
      [{ ...set, deletionTimestamp, finalizers: [ORPHAN] }],
      [],
      'garbage-collector unseen web-1 of web',
    ],
    ['the namespace controller, of an object in it', [ending, loose], [], 'namespace unseen loose'],
    ['the namespace controller, of an empty namespace', [ending], [], 'namespace unseen shop'],
    [
      'only blockers within the plan',
      [owner, below],
      [ready('Unknown')],
      'kubelet w1 gone a of web-1',
    ],
  ])('%s', async (_, left, around, who) => {
    const onWaiting = (cluster: FakeCluster) => {
      for (const record of left) cluster.remove(record);
    };
    const { lines } = await waited(left, around, { onWaiting });
    expect(lines).toEqual([`waiting ${who}`, 'done gone']);
  });
});

describe('who has to act is asked about, and a server that does not answer ends nothing', () => {
  const isLease = (path: string) => path.includes('/leases/');

  test('before the time is up, it is said what is left and why', async () => {
    const bound = pod('a', { facts: { nodeName: 'w1' }, deletionTimestamp });
    const cluster = new FakeCluster([web, bound, ready('True')]);
    cluster.before = ({ path }) => (isLease(path) ? new Promise(() => {}) : undefined);
    const options = { ...impatient, timeout: 300, pace: { ...impatience, evidence: 60_000 } };
    const events = await perform(cluster, deletionOf(web, bound), options);
    expect(told(events).slice(-3)).toEqual([
      'left a',
      'difference a deleted terminating',
      'done timed-out',
    ]);
  });

  test('it is waited on where the server cannot be reached or does not answer in time', async () => {
    const refused = new GcError('the connection was refused', { code: 'connection-refused' });
    for (const answer of [() => Promise.reject(refused), () => new Promise<undefined>(() => {})]) {
      const cluster = new FakeCluster([web, set]);
      cluster.before = ({ path }) => (isLease(path) ? answer() : undefined);
      const pace = { ...impatience, evidence: 30 };
      const events = await perform(
        cluster,
        deletionOf(web, set),
        { ...impatient, pace, timeout: undefined },
        (event) => {
          if (event.type === 'waiting') cluster.remove(set);
        },
      );
      expect(told(events).filter((line) => /^(waiting|left|done)/.test(line))).toEqual([
        'waiting garbage-collector unseen web-1 of web',
        'done gone',
      ]);
    }
  });
});

describe('waiting goes on', () => {
  test('while who has to act is seen to run', async () => {
    const bound = pod('a', { facts: { nodeName: 'w1' }, deletionTimestamp });
    const around = [ready('True'), kubelet('2026-01-03T00:09:58Z')];
    const signal = AbortSignal.timeout(1_200);
    const { lines } = await waited([bound], around, { signal });
    expect(lines).toEqual(['waiting kubelet w1 running a', 'left a', 'done interrupted']);
  });

  test('no longer for what a garbage collector leaves whose controller manager has a leader', async () => {
    const { lines } = await waited([set], [manager('2026-01-03T00:09:58Z')]);
    expect(lines).toEqual([
      'waiting garbage-collector unseen web-1 of web',
      'left web-1',
      'done stalled',
    ]);
  });

  test('while a Lease that looks old is renewed, as clocks differ', async () => {
    let second = 0;
    const renewed = () => `2026-01-03T00:00:${`${second++ % 60}`.padStart(2, '0')}Z`;
    const bound = pod('a', { facts: { nodeName: 'w1' }, deletionTimestamp });
    const cluster = new FakeCluster([web, bound, ready('True'), kubelet(renewed())]);
    const timer = setInterval(() => cluster.put(kubelet(renewed())), 5);
    const seen = new AbortController();
    const signal = AbortSignal.any([seen.signal, AbortSignal.timeout(3_000)]);
    const pace = { ...impatience, actorGone: 60_000 };
    const given = { ...impatient, pace, timeout: undefined, signal };
    const running = perform(cluster, deletionOf(web, bound), given, (event) => {
      if (event.type === 'waiting' && event.waits[0]?.state === 'running') seen.abort();
    });
    const events = await running.finally(() => clearInterval(timer));
    expect(told(events).filter((line) => line.startsWith('waiting'))).toEqual([
      'waiting kubelet w1 gone a',
      'waiting kubelet w1 running a',
    ]);
  });

  test('as long as a given timeout says, whoever does not run', async () => {
    const { lines } = await waited([set], [manager('2026-01-03T00:06:00Z')], { timeout: 600 });
    expect(lines.at(-1)).toBe('done timed-out');
  });

  test('for what was asked to be deleted, as kubectl does', async () => {
    const shop = namespace('shop');
    const cluster = new FakeCluster([shop, manager('2026-01-03T00:06:00Z')]);
    cluster.onDelete = () => cluster.put({ ...shop, deletionTimestamp });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 500);
    const given = { ...impatient, timeout: undefined, signal: stop.signal };
    const events = await perform(cluster, deletionOf(shop), given);
    expect(told(events)).toContain('waiting namespace gone shop');
    expect(told(events).at(-1)).toBe('done interrupted');
  });

  test('and each wait is said once, and again after something has happened', async () => {
    const other = pod('b', { ownerReferences: [ownedBy(web)] });
    let looks = 0;
    const { lines } = await waited([set, other], [], {
      onWaiting: (cluster) => {
        looks += 1;
        if (looks === 1) cluster.remove(other);
      },
    });
    expect(lines.filter((line) => line.startsWith('waiting'))).toEqual([
      'waiting garbage-collector unseen web-1 b of web',
      'waiting garbage-collector unseen web-1 of web',
    ]);
  });
});
