import { describe, expect, test } from 'vitest';
import { FOREGROUND, type ObjectRecord } from '../../../src/kube/object-record.ts';
import { progressLine } from '../../../src/output/progress/progress-lines.ts';
import { builderOf, deployment, ownedBy, pod, replicaSet } from '../../support/builders.ts';
import { FakeCluster } from './fake-cluster.ts';
import { deletionOf, perform, told } from './plans.ts';

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
  options: { timeout?: number | undefined; onWaiting?: (cluster: FakeCluster) => void } = {},
) {
  const cluster = new FakeCluster([web, ...left, ...around]);
  const given = { ...impatient, timeout: options.timeout };
  const events = await perform(cluster, deletionOf(web, ...left), given, ({ type }) => {
    if (type === 'waiting') options.onWaiting?.(cluster);
  });
  const lines = told(events).filter((line) => /^(waiting|left|done)/.test(line));
  const said = events.flatMap((event) =>
    event.type === 'waiting' ? (progressLine(event) ?? []) : [],
  );
  return { lines, said };
}

describe('where nothing happens, it is said who has to act', () => {
  test('the garbage collector, whose controller manager holds no Lease: given up late', async () => {
    const { lines, said } = await waited([set], []);
    expect(lines).toEqual([
      'waiting garbage-collector unseen web-1 of web',
      expect.stringMatching(/^left web-1: its owners are gone, and it is not collected yet/),
      'done stalled',
    ]);
    expect(said).toEqual([
      'Waiting for the garbage collector to delete replicaset.apps/web-1 in shop of deployment.apps/web: kube-controller-manager holds no Lease: it does not run, or it runs without leader election. kubectl gc why --gc',
    ]);
  });

  test('the garbage collector, whose controller manager stopped renewing its Lease: given up soon', async () => {
    const began = performance.now();
    const { lines, said } = await waited([set], [manager('2026-01-03T00:06:00Z')]);
    expect(lines).toContain('done stalled');
    expect(performance.now() - began).toBeLessThan(impatience.actorUnseen);
    expect(said[0]).toContain('kube-controller-manager has not renewed its Lease for 4m');
  });

  test('the kubelet of a Node that is silent', async () => {
    const bound = pod('a', { facts: { nodeName: 'w1' }, deletionTimestamp });
    const { lines, said } = await waited([bound], [ready('Unknown')]);
    expect(lines).toEqual([
      'waiting kubelet w1 gone a',
      'left a: the kubelet of node w1 has not confirmed that it has stopped',
      'done stalled',
    ]);
    expect(said).toEqual([
      'Waiting for the kubelet of Node w1 to end pod/a in shop: Node w1 does not report that it is ready. kubectl gc why pod/a -n shop',
    ]);
  });

  const bound = pod('a', { facts: { nodeName: 'w1' }, deletionTimestamp });
  const held = { ...set, deletionTimestamp, finalizers: ['example.com/hold'] };
  const owner = { ...set, deletionTimestamp, finalizers: [FOREGROUND] };
  const below = {
    ...bound,
    ownerReferences: [{ ...ownedBy(set), blockOwnerDeletion: true }],
  };
  test.each<[string, ObjectRecord[], ObjectRecord[], string]>([
    ['the kubelet of a Node that does not exist', [bound], [], 'kubelet w1 gone a'],
    [
      'who removes a finalizer, which cannot be seen',
      [held],
      [],
      'finalizer example.com/hold unseen web-1 of web',
    ],
    [
      'objects that wait for others of the plan are not named, but those others are',
      [owner, below],
      [ready('Unknown')],
      'kubelet w1 gone a of web-1',
    ],
  ])('%s', async (_, left, around, who) => {
    const { lines } = await waited(left, around);
    expect(lines[0]).toBe(`waiting ${who}`);
  });
});

describe('waiting goes on', () => {
  test('while who has to act is seen to run', async () => {
    const { lines } = await waited([set], [manager('2026-01-03T00:09:58Z')], { timeout: 2_000 });
    expect(lines).toEqual([
      'waiting garbage-collector running web-1 of web',
      expect.stringMatching(/^left web-1/),
      'done timed-out',
    ]);
  });

  test('while a Lease that looks old is renewed, as clocks differ', async () => {
    let second = 0;
    const renewed = () => `2026-01-03T00:00:${`${second++ % 60}`.padStart(2, '0')}Z`;
    const bound = pod('a', { facts: { nodeName: 'w1' }, deletionTimestamp });
    const cluster = new FakeCluster([web, bound, ready('True'), kubelet(renewed())]);
    const timer = setInterval(() => cluster.put(kubelet(renewed())), 5);
    const running = perform(cluster, deletionOf(web, bound), { ...impatient, timeout: 700 });
    const events = await running.finally(() => clearInterval(timer));
    expect(told(events).at(-1)).toBe('done timed-out');
  });

  test('as long as a given timeout says, whoever is gone', async () => {
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
