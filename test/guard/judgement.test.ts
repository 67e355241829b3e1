import { beforeAll, describe, expect, test } from 'vitest';
import { planDeletion } from '../../src/deletion/plan/plan-deletion.ts';
import { canDisappear } from '../../src/deletion/plan/plan-totals.ts';
import { PlayTimeOver } from '../../src/guard/answer-time.ts';
import { judgeDeletion } from '../../src/guard/judgement.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { isNamespace } from '../../src/kube/well-known-kinds.ts';
import { randomFrom } from '../../src/simulator/engine/schedule.ts';
import { simulate } from '../../src/simulator/simulate.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { busyNamespace } from '../deletion/plan/busy-namespace.ts';
import { context } from '../deletion/plan/planned.ts';
import { chooser } from '../differential/choose.ts';
import { collectorCluster } from '../differential/collector-cluster/index.ts';
import { generateCase } from '../differential/generate-case.ts';
import {
  builderOf,
  configMap,
  node,
  ownedBy,
  pod,
  servedRecords,
  snapshotOf,
} from '../support/builders.ts';
import { randomCases } from '../support/random-cases.ts';
import { knownCluster } from './known-cluster.ts';

const seed = Number(process.env.KUBECTL_GC_PROPERTY_SEED ?? 91_000);
const cases = Number(process.env.KUBECTL_GC_CASES ?? randomCases(4));

/** Clusters by the number of a case. */
const clusters: Readonly<Record<string, (at: number) => Snapshot>> = {
  'references of every kind': (at) => {
    let count = 0;
    const uid = () => `${at}-${count++}`;
    return snapshotOf(servedRecords(generateCase(at, { namespaces: false, uid }).objects));
  },
  'what controllers clean up': (at) => snapshotOf(servedRecords(collectorCluster(at, context.now))),
  'a busy namespace': busyNamespace,
};

const time = { mayPlay: true, mayCount: true, checkPlay: (): void => undefined };
const countOnly = { ...time, mayPlay: false };
/** Ends in the middle of a play, when it is asked for the n-th time. */
const endingAfter = (asked: number) => ({
  ...time,
  checkPlay: () => {
    if (asked-- <= 0) throw new PlayTimeOver();
  },
});

/** What the order of events decides without the deletion as well is no consequence of it. */
function isDeterminedWithout(snapshot: Snapshot): (one: { readonly uid: string }) => boolean {
  const { undetermined } = simulate(snapshot, [], {}, { now: context.now, start: 'running' });
  const open = new Set(undetermined.map(({ object }) => object.uid));
  return ({ uid }) => !open.has(uid);
}

const policies = ['Background', 'Foreground', 'Orphan'] as const;

/** A deletion on the cluster of a number, and the objects that a plan which plays everything counts as deleted. */
function plannedCase(name: string, at: number) {
  const snapshot = clusters[name]?.(at);
  if (!snapshot || snapshot.records.length === 0) return [];
  const choose = chooser(randomFrom(at));
  const homes = snapshot.records.filter(isNamespace);
  const target = choose.one(at % 3 === 0 && homes.length > 0 ? homes : snapshot.records);
  const propagationPolicy = choose.one(policies);
  const intent = { targets: [target], policy: propagationPolicy };
  const going = planDeletion(snapshot, intent, context).objects.filter(canDisappear);
  return [{ at, snapshot, target, propagationPolicy, going }];
}

describe.each(Object.keys(clusters))('of %s', (name) => {
  // Planned once for all ways to judge.
  const planned: ReturnType<typeof plannedCase> = [];
  beforeAll(() => {
    for (let at = seed; at < seed + cases; at++) planned.push(...plannedCase(name, at));
  });

  test.each([
    ['played', () => ({ time })],
    ['played on a part of a large namespace', () => ({ time, largest: 0 })],
    ['played until the time is over', (at: number) => ({ time: endingAfter(at % 7) })],
    ['counted', () => ({ time: countOnly })],
  ])('no fewer objects are judged to be deleted than a plan of everything names, %s', (_, how) => {
    const fewer: unknown[] = [];
    for (const { at, snapshot, target, propagationPolicy, going } of planned) {
      const judged = judgeDeletion(
        knownCluster(snapshot),
        target,
        { propagationPolicy },
        { now: context.now, ...how(at) },
      );
      if (judged.objects >= going.length) continue;
      const consequences = going.filter(isDeterminedWithout(snapshot));
      if (judged.objects >= consequences.length) continue;
      const names = consequences.map((one) => `${one.kind} ${one.name} ${one.fate} ${one.because}`);
      fewer.push([at, target.type.kind, target.name, propagationPolicy, judged.objects, names]);
    }
    expect(fewer).toEqual([]);
  });
});

test('of an object alone there is nothing to say', () => {
  const root = configMap('root');
  const other = configMap('other');
  const child = configMap('child', { ownerReferences: [ownedBy(root)] });
  const cluster = knownCluster(snapshotOf([root, other, child]));
  const judge = (target: typeof root) =>
    judgeDeletion(cluster, target, {}, { now: context.now, time });
  expect(judge(other)).toMatchObject({ objects: 1, lines: [] });
  expect(judge(root)).toMatchObject({ objects: 2, kinds: '2 ConfigMaps' });
  expect(judge(root).lines).toHaveLength(1);
});

test('the oldest ended Pods of other namespaces count where Pods end and stay, at a threshold that may be met', () => {
  const held = pod('held', { finalizers: ['acme.io/report'], facts: { phase: 'Running' } });
  const ended = ['first', 'second'].map((name, at) =>
    pod(name, {
      namespace: 'jobs',
      creationTimestamp: `2026-01-01T00:00:0${at}Z`,
      facts: { phase: 'Succeeded' },
    }),
  );
  const log = configMap('log', {
    namespace: 'jobs',
    ownerReferences: ended.slice(0, 1).map((owner) => ownedBy(owner)),
  });
  const counts = [{}, { terminatedPodGCThreshold: 2 }, { terminatedPodGCThreshold: 3 }].map(
    (settings) =>
      [time, countOnly].map((left) => {
        const cluster = knownCluster(snapshotOf([held, ...ended, log]), settings);
        return judgeDeletion(cluster, held, {}, { now: context.now, time: left }).objects;
      }),
  );
  expect(counts).toEqual([
    [3, 3],
    [3, 3],
    [1, 1],
  ]);
});

test('dependents do not count where the garbage collector is known not to run', () => {
  const root = configMap('root');
  const child = configMap('child', { ownerReferences: [ownedBy(root)] });
  const cluster = knownCluster(snapshotOf([root, child]), {
    controllers: ['*', '-garbage-collector-controller'],
  });
  expect(judgeDeletion(cluster, root, {}, { now: context.now, time }).objects).toBe(1);
});

describe('what is counted', () => {
  const judge = (records: readonly ObjectRecord[], target: ObjectRecord) =>
    judgeDeletion(
      knownCluster(snapshotOf(records)),
      target,
      {},
      { now: context.now, time: countOnly },
    );
  const space = builderOf('v1', 'Namespace')('shop');

  test.each([
    ['Retain', false],
    ['Delete', true],
  ])('loses the data of volumes with policy %s: %s', (persistentVolumeReclaimPolicy, loses) => {
    const claim = builderOf('v1', 'PersistentVolumeClaim')('data', {
      namespace: 'shop',
      facts: { volumeName: 'disk' },
    });
    const claimRef = { namespace: 'shop', name: 'data', uid: claim.uid };
    const volume = builderOf('v1', 'PersistentVolume')('disk', {
      facts: { persistentVolumeReclaimPolicy, claimRef, phase: 'Bound' },
    });
    expect(judge([space, claim, volume], space).losesVolumes).toBe(loses);
  });

  test('where the time of a play is over is what may be deleted, and not what was played', () => {
    const contents = [1, 2, 3].map((at) => configMap(`one-${at}`, { namespace: 'shop' }));
    const cluster = knownCluster(snapshotOf([space, ...contents]));
    const judge = (left: typeof time) =>
      judgeDeletion(cluster, space, {}, { now: context.now, time: left });
    expect(judge(endingAfter(0))).toEqual(judge(countOnly));
    expect(judge(countOnly)).toMatchObject({ objects: 4, isExact: false });
    expect(judge(countOnly).lines).toEqual([expect.stringMatching(/^Up to 4 /)]);
    expect(judge(endingAfter(10_000))).toMatchObject({ objects: 4, isExact: true });
  });

  test('without time to count is a lower bound', () => {
    const cluster = knownCluster(snapshotOf([space, configMap('one', { namespace: 'shop' })]));
    const none = { ...countOnly, mayCount: false };
    const { lines } = judgeDeletion(cluster, space, {}, { now: context.now, time: none });
    expect(lines).toEqual([expect.stringMatching(/^At least 1 /)]);
  });

  test('an object alone needs no words', () => {
    const alone = configMap('alone');
    expect(judge([alone], alone).lines).toEqual([]);
  });

  test('a Pod that serves the Node that is deleted is not protected', () => {
    const machine = node('worker-1');
    const served = pod('proxy', {
      namespace: 'kube-system',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [ownedBy(machine)],
      facts: { nodeName: 'worker-1' },
    });
    expect(judge([machine, served], machine).protectedObject).toBeUndefined();
  });
});
