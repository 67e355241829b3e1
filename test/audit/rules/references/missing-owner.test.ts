import { expect, test } from 'vitest';
import { missingOwner } from '../../../../src/audit/rules/owner-mismatch.ts';
import {
  blocking,
  clusterRole,
  event,
  gadget,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
} from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const live = replicaSet('live');
const waiting = replicaSet('waiting', { deleting: 'foreground' });
const gone = ownedByGone('apps/v1 ReplicaSet gone');
const kept =
  'keep it: remove the reference; it then stays until it is deleted by hand, and nothing manages it: no ReplicaSet replaces it when it fails or its node goes, unless one with a matching selector adopts it';
const finding = {
  at: 'Pod web-1 > ReplicaSet gone',
  because: 'there is no ReplicaSet gone in namespace shop',
  consequences: ['deleted on the next pass'],
  gcRule: 'GC-22.13',
  fix: `let it go: the garbage collector deletes it; or ${kept}`,
  edits: [],
};

test('a pod whose ReplicaSet is gone will be deleted', () => {
  expect(findingsOf(missingOwner, [pod('web-1', { ownerReferences: [gone] })])).toEqual([finding]);
});

test('beside an owner that lives, the reference is removed', () => {
  const record = pod('web-1', { ownerReferences: [ownedBy(live), gone] });
  expect(findingsOf(missingOwner, [record, live])).toEqual([
    {
      ...finding,
      consequences: ['reference removed'],
      gcRule: 'GC-22.11',
      fix: 'remove the reference; another owner keeps the object',
      edits: ['1: removed'],
    },
  ]);
});

test('beside one that freezes the object, nothing happens ever', () => {
  const record = pod('web-1', { ownerReferences: [gone, ownedByGone('a.example.com/v1 A a')] });
  expect(findingsOf(missingOwner, [record])).toEqual([
    {
      ...finding,
      consequences: ['never collected'],
      gcRule: 'GC-30',
      fix: `let it go: it stays as long as another of its references cannot be looked up; or ${kept}`,
    },
  ]);
});

test('beside an owner that was not read, what happens is unknown', () => {
  const options = { unread: ['secrets'] };
  const unknown = ownedByGone('v1 Secret vault');
  const alone = pod('web-1', { ownerReferences: [gone, unknown] });
  expect(findingsOf(missingOwner, [alone], options)).toEqual([
    {
      ...finding,
      consequences: ['unknown because an API could not be read'],
      gcRule: 'GC-27',
      fix: `let it go: the garbage collector deletes it if its other owners are gone, which was not read; or ${kept}`,
    },
  ]);
  const owned = pod('web-1', { ownerReferences: [gone, unknown, ownedBy(live)] });
  expect(findingsOf(missingOwner, [owned, live], options)).toEqual([
    {
      ...finding,
      consequences: ['kept only by another owner'],
      gcRule: 'GC-27',
      fix: 'remove the reference; another owner keeps the object',
      edits: ['0: removed'],
    },
  ]);
});

test('an object on its way out stays on it', () => {
  const record = pod('web-1', { ownerReferences: [gone], deleting: 'background' });
  expect(findingsOf(missingOwner, [record])).toEqual([
    {
      ...finding,
      consequences: ['already being deleted'],
      gcRule: 'GC-22.1',
      fix: 'none: it is being deleted already, and that cannot be undone',
    },
  ]);
});

test('an Event is not watched, so it is never collected', () => {
  expect(findingsOf(missingOwner, [event('note', { ownerReferences: [gone] })])).toEqual([
    {
      ...finding,
      at: 'Event note > ReplicaSet gone',
      consequences: ['never collected'],
      gcRule: 'GC-8',
      fix: 'let it go: it stays, as the garbage collector does not watch its kind; or keep it: remove the reference; it then stays until it is deleted by hand',
    },
  ]);
});

test('a missing cluster-scoped owner, a list and a kind that is only a request are missing too', () => {
  const role = clusterRole('reader', { ownerReferences: [ownedByGone('v1 Node node-a')] });
  const odd = pod('odd', {
    ownerReferences: [ownedByGone('v1 PodList x'), ownedByGone('v1 Binding x')],
  });
  expect(findingsOf(missingOwner, [role, odd]).map(({ at, because }) => [at, because])).toEqual([
    ['ClusterRole reader > Node node-a', 'there is no Node node-a'],
    ['Pod odd > PodList x', 'PodList is a list, and a GET of one finds nothing'],
    ['Pod odd > Binding x', 'Binding objects cannot be read back, so none is ever found'],
  ]);
});

test('owners that live, wait, were recreated, are elsewhere or are unknown are not missing', () => {
  const rack = gadget('rack');
  const vault = secret('vault', { namespace: 'bank' });
  const records = [
    live,
    waiting,
    rack,
    vault,
    pod('fine', { ownerReferences: [ownedBy(live, blocking), ownedBy(rack)] }),
    pod('waits', { ownerReferences: [ownedBy(waiting)] }),
    pod('stale', { ownerReferences: [ownedBy(live, { uid: 'uid-of-the-first' })] }),
    pod('lost', { ownerReferences: [ownedBy(vault)] }),
    pod('misnamed', { ownerReferences: [ownedBy(live, { name: 'x' })] }),
    pod('frozen', { ownerReferences: [ownedByGone('a.example.com/v1 A a')] }),
    pod('unsure', { ownerReferences: [ownedByGone('v1 ConfigMap settings')] }),
  ];
  expect(findingsOf(missingOwner, records, { unread: ['configmaps'] })).toEqual([]);
});
