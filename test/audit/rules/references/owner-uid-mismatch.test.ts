import { expect, test } from 'vitest';
import { ownerUidMismatch } from '../../../../src/audit/rules/owner-mismatch.ts';
import { node, ownedBy, pod, replicaSet } from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const web = replicaSet('web');
const stale = ownedBy(web, { uid: 'uid-of-the-first' });
const finding = {
  at: 'Pod web-1 > ReplicaSet web',
  because:
    'the ReplicaSet web in namespace shop has another uid: the owner was deleted, and one with the same name created',
  consequences: ['deleted on the next pass'],
  gcRule: 'GC-22.13',
  fix: 'point the reference at the ReplicaSet that exists now (uid uid-replicaset-shop-web)',
  edits: ['0: uid=uid-replicaset-shop-web'],
};

test('a pod of the ReplicaSet that was there before is deleted', () => {
  const record = pod('web-1', { ownerReferences: [stale] });
  expect(findingsOf(ownerUidMismatch, [record, web])).toEqual([finding]);
});

test('beside an owner that lives, the reference is removed', () => {
  const host = node('node-a');
  const record = pod('web-1', { ownerReferences: [stale, ownedBy(host)] });
  expect(findingsOf(ownerUidMismatch, [record, web, host])).toEqual([
    { ...finding, consequences: ['reference removed'], gcRule: 'GC-22.11' },
  ]);
});

test('an object that names a former self is not pointed at itself', () => {
  const heir = replicaSet('web', { ownerReferences: [stale] });
  expect(findingsOf(ownerUidMismatch, [heir])).toEqual([
    {
      ...finding,
      at: 'ReplicaSet web > ReplicaSet web',
      fix: 'remove the reference; it names the object itself',
      edits: ['0: removed'],
    },
  ]);
});

test('the right uid is no mismatch, and neither is that of an object elsewhere', () => {
  const blue = replicaSet('blue');
  const records = [
    web,
    blue,
    pod('fine', { ownerReferences: [ownedBy(web)] }),
    pod('misnamed', { ownerReferences: [ownedBy(blue, { name: 'web' })] }),
    pod('lost', { ownerReferences: [{ ...stale, name: 'nobody' }] }),
  ];
  expect(findingsOf(ownerUidMismatch, records)).toEqual([]);
});

test('a manifest that was never applied has no uid to differ', () => {
  const draft = replicaSet('web', { uid: '' });
  const record = pod('web-1', { ownerReferences: [stale] });
  expect(findingsOf(ownerUidMismatch, [record, draft])).toEqual([]);
});
