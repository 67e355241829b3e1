import { describe, expect, test } from 'vitest';
import { judge } from '../../../src/controllers/garbage-collector/judge.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import {
  blocking,
  builderOf,
  clusterRole,
  configMap,
  type Details,
  event,
  gadget,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  type SnapshotOptions,
  secret,
} from '../../support/builders.ts';

const held = 'shop.example.com/drain';
const live = replicaSet('live');
const other = replicaSet('other');
const waiting = replicaSet('waiting', { deleting: 'foreground' });
const leaving = replicaSet('leaving', { deleting: 'background', finalizers: [held] });
const gone = ownedByGone('apps/v1 ReplicaSet gone');
const frozen = ownedByGone('gone.example.com/v1 Gone it');
const unread = ownedByGone('v1 Secret vault');

/** The verdict on a pod with these references among the objects above. */
function verdict(
  ownerReferences: readonly OwnerReference[],
  details: Details = {},
  others: readonly ObjectRecord[] = [],
  options: SnapshotOptions = { unread: ['secrets'] },
): string {
  const subject = pod('web-1', { ...details, ownerReferences });
  return told(subject, [live, other, waiting, leaving, ...others], options);
}

function told(
  subject: ObjectRecord,
  others: readonly ObjectRecord[],
  options: SnapshotOptions = {},
): string {
  const { action, policy, rule } = judge(graphOf([subject, ...others], options), subject);
  return [action, policy, rule].filter(Boolean).join(' ');
}

describe('one look at an object decides', () => {
  test.each<[string, OwnerReference[], string]>([
    ['no owner', [], 'unowned GC-22.8'],
    ['a solid owner', [ownedBy(live)], 'keep GC-22.10'],
    ['two solid owners', [ownedBy(live), ownedBy(other)], 'keep GC-22.10'],
    ['an owner that terminates, but not in the foreground', [ownedBy(leaving)], 'keep GC-22.10'],
    ['a solid and a missing owner', [ownedBy(live), gone], 'patch GC-22.11'],
    ['a missing and a solid owner', [gone, ownedBy(live)], 'patch GC-22.11'],
    ['a solid and a waiting owner', [ownedBy(live), ownedBy(waiting)], 'patch GC-22.11'],
    ['a leaving and a waiting owner', [ownedBy(leaving), ownedBy(waiting)], 'patch GC-22.11'],
    [
      'two solid owners, one of which controls it, and a missing one',
      [ownedBy(live, { controller: true }), ownedBy(other), gone],
      'patch GC-22.11',
    ],
    ['a missing owner', [gone], 'delete Background GC-22.13'],
    ['two missing owners', [gone, ownedBy(live, { name: 'x' })], 'delete Background GC-22.13'],
    ['a waiting owner, on a leaf', [ownedBy(waiting)], 'delete Background GC-22.13'],
    [
      'a waiting and a missing owner, on a leaf',
      [ownedBy(waiting), gone],
      'delete Background GC-22.13',
    ],
    ['an unresolvable owner', [frozen], 'frozen GC-30'],
    ['an unresolvable owner among missing ones', [gone, frozen, gone], 'frozen GC-30'],
    ['an unresolvable owner beside a solid one', [ownedBy(live), frozen], 'frozen GC-30'],
    ['an unresolvable owner beside an unread one', [unread, frozen], 'frozen GC-30'],
    ['an unread owner', [unread], 'unknown GC-27'],
    ['an unread and a missing owner', [gone, unread], 'unknown GC-27'],
    ['an unread and a solid owner', [unread, ownedBy(live)], 'unknown GC-27'],
  ])('%s', (_, references, expected) => {
    expect(verdict(references)).toBe(expected);
  });
});

describe('the policy of the DELETE is that of the finalizers the object carries', () => {
  test.each([
    [[], 'Background'],
    [[held], 'Background'],
    [['foregroundDeletion'], 'Foreground'],
    [['orphan'], 'Orphan'],
    [['foregroundDeletion', held, 'orphan'], 'Orphan'],
  ])('%j: %s', (finalizers, policy) => {
    expect(verdict([gone], { finalizers })).toBe(`delete ${policy} GC-22.13`);
  });
});

describe('below a waiting owner, an object with dependents is deleted in the foreground', () => {
  const subject = pod('web-1');
  const below = (details: Details = {}) =>
    configMap('below', { ownerReferences: [ownedBy(subject)], ...details });

  const lost = configMap('lost', {
    namespace: 'bank',
    ownerReferences: [ownedBy(subject, { kind: 'Job' })],
  });
  const note = event('note', { ownerReferences: [ownedBy(subject)] });

  test.each<[string, OwnerReference[], string, Details?, ObjectRecord?]>([
    ['alone', [ownedBy(waiting)], 'delete Foreground GC-22.12'],
    ['beside a missing one', [gone, ownedBy(waiting)], 'delete Foreground GC-22.12'],
    ['not beside a solid one', [ownedBy(live), ownedBy(waiting)], 'patch GC-22.11'],
    ['not if all owners are missing', [gone], 'delete Background GC-22.13'],
    [
      'even if it carries the orphan finalizer',
      [ownedBy(waiting)],
      'delete Foreground GC-22.12',
      { finalizers: ['orphan'] },
    ],
    // Edges are by uid.
    [
      'also if its dependents name it wrongly',
      [ownedBy(waiting)],
      'delete Foreground GC-22.12',
      {},
      lost,
    ],
    [
      'not for the sake of an Event, which the collector does not see',
      [ownedBy(waiting)],
      'delete Background GC-22.13',
      {},
      note,
    ],
  ])('%s', (_, references, expected, details = {}, dependent = below()) => {
    expect(verdict(references, details, [dependent])).toBe(expected);
  });

  test('and if one of those is being deleted in the foreground too, its own references stop blocking', () => {
    const judged = pod('web-1', { ownerReferences: [ownedBy(waiting, blocking)] });
    const free = configMap('free', { ownerReferences: [ownedBy(subject)] });
    const graph = graphOf([judged, waiting, free, below({ deleting: 'foreground' })]);
    expect(judge(graph, judged).because).toBe(
      'ReplicaSet waiting is being deleted in the foreground; one of its dependents is itself being deleted in the foreground, so its own references stop blocking first',
    );
  });
});

describe('an object that is being deleted is left alone', () => {
  test.each<[NonNullable<Details['deleting']>, OwnerReference[], string]>([
    ['background', [gone], 'terminating GC-22.1'],
    ['orphan', [gone], 'terminating GC-22.1'],
    ['foreground', [gone], 'terminating GC-23'],
    ['background', [ownedBy(live), ownedBy(waiting, blocking)], 'terminating GC-22.1'],
    ['background', [frozen], 'terminating GC-22.1'],
    ['background', [unread], 'terminating GC-22.1'],
    ['background', [], 'unowned GC-22.8'],
  ])('%s', (deleting, references, expected) => {
    expect(verdict(references, { deleting, finalizers: [held] })).toBe(expected);
  });
});

describe('an object that the collector does not watch is ignored', () => {
  const status = builderOf('v1', 'ComponentStatus');
  test.each([
    [event('note', { ownerReferences: [gone] }), 'ignored GC-8'],
    [event('note', { ownerReferences: [gone], deleting: 'background' }), 'ignored GC-8'],
    [status('etcd', { ownerReferences: [gone] }), 'ignored GC-9'],
    [event('note'), 'unowned GC-22.8'],
  ])('%#', (subject, expected) => {
    expect(told(subject, [])).toBe(expected);
  });
});

describe('a cluster-scoped object', () => {
  const rack = gadget('rack');
  const vault = secret('vault');
  test.each<[string, OwnerReference[], string]>([
    ['of a cluster-scoped owner', [ownedBy(rack)], 'keep GC-22.10'],
    ['of a missing cluster-scoped owner', [ownedByGone('v1 Node n')], 'delete Background GC-22.13'],
    ['of a namespaced owner', [ownedBy(vault)], 'frozen GC-45'],
    [
      'of a namespaced owner among others',
      [ownedByGone('v1 Node n'), ownedBy(vault)],
      'frozen GC-45',
    ],
    [
      'of two that cannot be resolved: the first one decides',
      [frozen, ownedBy(vault)],
      'frozen GC-30',
    ],
  ])('%s', (_, ownerReferences, expected) => {
    expect(told(clusterRole('reader', { ownerReferences }), [rack, vault])).toBe(expected);
  });
});

test('an object that owns itself keeps itself alive, until a user deletes it', () => {
  const self = (details: Details = {}) => {
    const bare = configMap('narcissus', details);
    return told({ ...bare, ownerReferences: [ownedBy(bare)] }, []);
  };
  expect([self(), self({ deleting: 'foreground' })]).toEqual([
    'keep GC-22.10',
    'terminating GC-23',
  ]);
});

test('an API whose discovery fails leaves the verdict open', () => {
  const types = new ResourceTypes(builtInTypes, {
    failed: [{ group: 'metrics.k8s.io', version: undefined, message: 'metrics.k8s.io is down' }],
    exhaustive: true,
  });
  const subject = pod('web-1', {
    ownerReferences: [ownedByGone('metrics.k8s.io/v1 PodMetrics m')],
  });
  expect(told(subject, [], { types })).toBe('unknown GC-29');
});

describe('the reason', () => {
  const reason = (ownerReferences: readonly OwnerReference[], details: Details = {}) => {
    const subject = pod('web-1', { ...details, ownerReferences });
    const graph = graphOf([subject, live, other, waiting, leaving], { unread: ['secrets'] });
    return judge(graph, subject).because;
  };
  test.each<[OwnerReference[], string]>([
    [[], 'it has no owner'],
    [
      [ownedBy(live), ownedBy(other)],
      'ReplicaSet live exists in namespace shop; ReplicaSet other exists in namespace shop',
    ],
    [
      [ownedBy(live), gone],
      'ReplicaSet live exists in namespace shop, so only the other references are removed',
    ],
    [
      [ownedBy(live), ownedBy(live, { name: 'x' })],
      'ReplicaSet live exists in namespace shop, so only the other references are removed; but that is done by uid, which takes this one along and leaves it without an owner',
    ],
    [
      [ownedBy(live), ownedBy(live, { name: 'x' }), ownedBy(other)],
      'ReplicaSet live exists in namespace shop, so only the other references are removed',
    ],
    [
      [gone, ownedBy(waiting)],
      'there is no ReplicaSet gone in namespace shop; ReplicaSet waiting is being deleted in the foreground',
    ],
    [
      [gone, frozen],
      'no API serves gone.example.com/v1 Gone; while that reference stays, it is never deleted or changed',
    ],
    [[gone, unread], 'Secret objects in namespace shop were not read'],
    [
      [unread, ownedBy(live)],
      'Secret objects in namespace shop were not read; it lives on in any case, as ReplicaSet live exists in namespace shop',
    ],
  ])('%#', (references, because) => {
    expect(reason(references)).toBe(because);
  });

  test('of what the API server refuses', () => {
    const controller = { controller: true };
    const references = [ownedBy(live, controller), ownedBy(other, controller), gone];
    expect(verdict(references)).toBe('keep GC-67');
    expect(reason(references)).toBe(
      'ReplicaSet live exists in namespace shop; the other references stay as well: the API server refuses to change an object that has two controllers',
    );
    expect(verdict([ownedBy(live, controller), { ...gone, ...controller }])).toBe('patch GC-22.11');
    expect(verdict([gone, { ...gone, uid: 'x', ...controller }])).toBe(
      'delete Background GC-22.13',
    );
  });

  test('of what is left alone', () => {
    expect([
      reason([gone], { deleting: 'background', finalizers: [held] }),
      judge(graphOf([]), event('note', { ownerReferences: [gone] })).because,
    ]).toEqual([
      'it is already being deleted; its references are not looked at again',
      'the garbage collector does not watch Event objects',
    ]);
  });
});
