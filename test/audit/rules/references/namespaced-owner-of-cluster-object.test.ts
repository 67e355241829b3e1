import { expect, test } from 'vitest';
import { namespacedOwnerOfClusterObject } from '../../../../src/audit/rules/owner-kinds.ts';
import {
  blocking,
  clusterRole,
  gadget,
  ownedBy,
  ownedByGone,
  pod,
  widget,
} from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const cart = widget('cart');
const finding = {
  at: 'ClusterRole reader > Widget cart',
  because:
    'ClusterRole is cluster-scoped, so there is no namespace in which to look for Widget cart',
  consequences: ['never collected'],
  gcRule: 'GC-45',
  fix: 'remove the reference; let the owner delete it in a finalizer of its own',
  edits: ['0: removed'],
};
const role = (...ownerReferences: ReturnType<typeof ownedBy>[]) =>
  clusterRole('reader', { ownerReferences });

test('a role of a namespaced resource is never collected', () => {
  expect(findingsOf(namespacedOwnerOfClusterObject, [role(ownedBy(cart)), cart])).toEqual([
    finding,
  ]);
});

test('not even when that resource is gone, or other owners are', () => {
  const references = [ownedByGone('example.com/v1 Widget cart'), ownedByGone('v1 Node node-a')];
  expect(findingsOf(namespacedOwnerOfClusterObject, [role(...references)])).toEqual([finding]);
});

test('and with blockOwnerDeletion that resource can never be deleted in the foreground', () => {
  expect(findingsOf(namespacedOwnerOfClusterObject, [role(ownedBy(cart, blocking)), cart])).toEqual(
    [{ ...finding, consequences: ['never collected', 'blocks a foreground deletion for ever'] }],
  );
});

test('cluster-scoped owners, and namespaced dependents, are right', () => {
  const rack = gadget('rack');
  const records = [rack, cart, role(ownedBy(rack)), pod('p', { ownerReferences: [ownedBy(cart)] })];
  expect(findingsOf(namespacedOwnerOfClusterObject, records)).toEqual([]);
});
