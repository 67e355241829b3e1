import { expect, test } from 'vitest';
import { crossNamespaceOwner } from '../../../../src/audit/rules/owner-mismatch.ts';
import {
  blocking,
  clusterRole,
  gadget,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
} from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const vault = secret('vault', { namespace: 'bank' });
const finding = {
  at: 'Pod web-1 > Secret vault',
  because:
    "the uid is that of v1 Secret bank/vault, but owners are looked up in the dependent's namespace shop only",
  consequences: ['deleted on the next pass'],
  gcRule: 'GC-22.13',
  fix: 'remove the reference; tie the two together with a label and a finalizer of the owner instead',
  edits: ['0: removed'],
};

test('an owner in another namespace is none', () => {
  const record = pod('web-1', { ownerReferences: [ownedBy(vault)] });
  expect(findingsOf(crossNamespaceOwner, [record, vault])).toEqual([finding]);
});

test('not even if an object of that kind and name is in the own one', () => {
  const record = pod('web-1', { ownerReferences: [ownedBy(vault)] });
  expect(findingsOf(crossNamespaceOwner, [record, vault, secret('vault')])).toEqual([finding]);
});

test('beside an owner that lives, the reference is removed', () => {
  const web = replicaSet('web');
  const record = pod('web-1', { ownerReferences: [ownedBy(vault), ownedBy(web)] });
  expect(findingsOf(crossNamespaceOwner, [record, vault, web])).toEqual([
    { ...finding, consequences: ['reference removed'], gcRule: 'GC-22.11' },
  ]);
});

test('on a frozen object it blocks the deletion of that owner', () => {
  const record = pod('web-1', {
    ownerReferences: [ownedBy(vault, blocking), ownedByGone('a.example.com/v1 A a')],
  });
  expect(findingsOf(crossNamespaceOwner, [record, vault])).toEqual([
    {
      ...finding,
      consequences: ['never collected', 'blocks a foreground deletion for ever'],
      gcRule: 'GC-30',
    },
  ]);
});

test('owners in the own namespace or in none are right, and cluster-scoped dependents another matter', () => {
  const rack = gadget('rack');
  const near = secret('vault');
  const records = [
    rack,
    near,
    vault,
    pod('fine', { ownerReferences: [ownedBy(rack), ownedBy(near)] }),
    pod('gone', { ownerReferences: [ownedByGone('v1 Secret x')] }),
    clusterRole('reader', { ownerReferences: [ownedBy(vault)] }),
    clusterRole('odd', { ownerReferences: [ownedBy(vault, { kind: 'Node' })] }),
  ];
  expect(findingsOf(crossNamespaceOwner, records)).toEqual([]);
});
