import { describe, expect, test } from 'vitest';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { blockingIndex, idOf } from '../../../src/snapshot/graph/graph.ts';
import {
  autoscaler,
  blocking,
  deployment,
  event,
  graphOf,
  node,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
} from '../../support/builders.ts';

describe('an object is found', () => {
  const scaler = autoscaler('web');
  const scheduled = event('web.scheduled');
  const graph = graphOf([scaler, scheduled, node('node-a')]);
  const [v2, v1] = graph.snapshot.types.versions('horizontalpodautoscalers.autoscaling');
  const [events] = graph.snapshot.types.versions('events.events.k8s.io');

  test('by its uid', () => {
    expect([graph.withUid(scaler.uid), graph.withUid('nobody'), graph.withUid('')]).toEqual([
      scaler,
      undefined,
      undefined,
    ]);
  });

  test('at its place, in every version of its kind', () => {
    if (!v1 || !v2) throw new Error('autoscalers have two versions');
    expect([graph.at(v2, 'shop', 'web'), graph.at(v1, 'shop', 'web')]).toEqual([scaler, scaler]);
    expect([graph.at(v1, 'bank', 'web'), graph.at(v1, 'shop', 'wbe')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('an Event under its other group as well', () => {
    expect(events && graph.at(events, 'shop', 'web.scheduled')).toBe(scheduled);
  });

  test('a cluster-scoped one in no namespace', () => {
    const { type } = node('node-a');
    expect([graph.at(type, '', 'node-a')?.name, graph.at(type, 'shop', 'node-a')]).toEqual([
      'node-a',
      undefined,
    ]);
  });

  test('the first one, when two have the same uid', () => {
    const first = pod('first', { uid: 'uid-copied' });
    expect(graphOf([first, pod('second', { uid: 'uid-copied' })]).withUid('uid-copied')).toBe(
      first,
    );
  });
});

describe('no object is doubtful whose only reference names its owner as that is', () => {
  const web = replicaSet('web');
  const mail = replicaSet('mail', { uid: 'uid-mail' });
  const of = (...owners: ObjectRecord[]) =>
    pod('a', { ownerReferences: owners.map((owner) => ownedBy(owner)) });
  const doubtful = (records: readonly ObjectRecord[]) =>
    graphOf(records)
      .unverifiedDependents()
      .map(({ name }) => name);

  test('where objects are sorted, and it is the only one', () => {
    expect(doubtful([of(web), mail, web])).toEqual([]);
    expect(doubtful([of(web, mail), mail, web])).toEqual(['a']);
  });

  test('but where another object may have the name of that', () => {
    expect(doubtful([of(web), web, mail])).toEqual(['a']);
    expect(doubtful([of(web), web, replicaSet('web', { uid: 'uid-later' })])).toEqual(['a']);
  });

  test('and where the reference leads elsewhere', () => {
    const wrong = (change: Partial<OwnerReference>) =>
      doubtful([pod('a', { ownerReferences: [ownedBy(web, change)] }), web]);
    expect([
      wrong({ name: 'mail' }),
      wrong({ kind: 'Deployment' }),
      wrong({ apiVersion: 'apps/v1beta1' }),
      wrong({ uid: 'uid-gone' }),
      doubtful([{ ...of(web), namespace: 'bank' }, web]),
    ]).toEqual(Array(5).fill(['a']));
  });

  test('and where the garbage collector would not keep it for that owner', () => {
    const a = pod('a');
    const scheduled = event('web.scheduled');
    const scaler = autoscaler('web');
    const going = replicaSet('web', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    const waiting = { ...going, finalizers: ['foregroundDeletion'] };
    expect([
      doubtful([{ ...a, ownerReferences: [ownedBy(a)] }]),
      doubtful([of(waiting), waiting]),
      doubtful([of(scheduled), scheduled]),
      doubtful([
        { ...a, ownerReferences: [ownedBy(scaler, { apiVersion: 'autoscaling/v1' })] },
        scaler,
      ]),
      doubtful([of(going), going]),
    ]).toEqual([['a'], ['a'], ['a'], ['a'], []]);
  });
});

test('between others are objects that own some and have references themselves', () => {
  const web = deployment('web');
  const own = pod('a', { ownerReferences: [ownedByGone('apps/v1 ReplicaSet gone')] });
  const middle = replicaSet('web', { ownerReferences: [ownedBy(web)] });
  const below = pod('b', { ownerReferences: [ownedBy(middle)] });
  const twin = replicaSet('twin', { uid: middle.uid, ownerReferences: [ownedBy(web)] });
  expect(graphOf([web, own, middle, below]).intermediate()).toEqual([middle]);
  expect(graphOf([web, own, twin, middle, below]).intermediate()).toEqual([twin, middle]);
});

test('references without a uid make no edge', () => {
  const manifest = pod('web-1', {
    uid: '',
    ownerReferences: [ownedByGone('v1 Pod x', { uid: '' })],
  });
  const graph = graphOf([manifest, pod('web-2', { uid: '' })]);
  expect([graph.dependentsOf(''), graph.withUid('')]).toEqual([[], undefined]);
});

test('an object is identified by its uid, and a manifest by its place', () => {
  expect([
    idOf(pod('web-1')),
    idOf(deployment('web', { uid: '' })),
    idOf(node('n', { uid: '' })),
  ]).toEqual(['uid-pod-shop-web-1', 'deployments.apps/shop/web', 'nodes//n']);
});

test('only an explicit true blocks the deletion of an owner', () => {
  const web = replicaSet('web');
  const dependent = (...flags: (boolean | undefined)[]) =>
    pod('web-1', {
      ownerReferences: flags.map((flag) => ownedBy(web, { blockOwnerDeletion: flag })),
    });
  const blocks = (record: ObjectRecord) => blockingIndex(record, web.uid);
  expect(
    [dependent(true), dependent(false), dependent(undefined), dependent(false, true)].map(blocks),
  ).toEqual([0, -1, -1, 1]);
  expect(blockingIndex(pod('x', { ownerReferences: [ownedBy(web, blocking)] }), 'other')).toBe(-1);
});

test('dependents are found by uid alone, each once', () => {
  const web = replicaSet('web', { ownerReferences: [ownedByGone('apps/v1 Deployment web')] });
  const one = pod('web-1', { ownerReferences: [ownedBy(web), ownedByGone('v1 Node node-a')] });
  const two = pod('web-2', { ownerReferences: [ownedBy(web), ownedBy(web)] });
  const manifest = pod('web-3', {
    uid: '',
    ownerReferences: [ownedByGone('v1 Pod x', { uid: '' })],
  });
  const records = [web, one, two, manifest];
  const { dependentsOf } = graphOf(records);
  expect(records.map(({ uid }) => dependentsOf(uid))).toEqual([[one, two], [], [], []]);
});
