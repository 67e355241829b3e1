import { describe, expect, test } from 'vitest';
import { canDisappear } from '../../src/deletion/plan/disappearing.ts';
import { planDeletion } from '../../src/deletion/plan/plan-deletion.ts';
import { judgeDeletion } from '../../src/guard/judgement.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { isNamespace } from '../../src/kube/well-known-kinds.ts';
import { randomFrom } from '../../src/simulator/engine/schedule.ts';
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

const policies = ['Background', 'Foreground', 'Orphan'] as const;

describe.each(Object.keys(clusters))('of %s', (name) => {
  test.each([
    ['played', { mayPlay: true }],
    ['played on a part of a large namespace', { mayPlay: true, largest: 0 }],
    ['counted', { mayPlay: false }],
  ])('no fewer objects are judged to be deleted than a plan of everything names, %s', (_, how) => {
    const fewer: unknown[] = [];
    for (let at = seed; at < seed + cases; at++) {
      const snapshot = clusters[name]?.(at);
      const choose = chooser(randomFrom(at));
      if (!snapshot || snapshot.records.length === 0) continue;
      const homes = snapshot.records.filter(isNamespace);
      const target = choose.one(at % 3 === 0 && homes.length > 0 ? homes : snapshot.records);
      const propagationPolicy = choose.one(policies);
      const intent = { targets: [target], policy: propagationPolicy };
      const going = planDeletion(snapshot, intent, context).objects.filter(canDisappear);
      const judged = judgeDeletion(
        knownCluster(snapshot),
        target,
        { propagationPolicy },
        { now: context.now, ...how },
      );
      if (judged.objects >= going.length) continue;
      const names = going.map((one) => `${one.kind} ${one.name} ${one.fate} ${one.because}`);
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
    judgeDeletion(cluster, target, {}, { now: context.now, mayPlay: true });
  expect(judge(other)).toMatchObject({ objects: 1, lines: [] });
  expect(judge(root)).toMatchObject({ objects: 2, kinds: '2 ConfigMaps' });
  expect(judge(root).lines).toHaveLength(1);
});

describe('what is counted', () => {
  const judge = (records: readonly ObjectRecord[], target: ObjectRecord) =>
    judgeDeletion(
      knownCluster(snapshotOf(records)),
      target,
      {},
      { now: context.now, mayPlay: false },
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
