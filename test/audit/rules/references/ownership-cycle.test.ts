import { expect, test } from 'vitest';
import { ownershipCycle } from '../../../../src/audit/rules/ownership-rings.ts';
import { blocking, configMap, type Details, ownedBy } from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

function ring(size: number, details: Details = {}, changes = {}) {
  const bare = Array.from({ length: size }, (_, i) => configMap(`ring-${i}`, details));
  return bare.map((record, i) => {
    const owner = bare[(i + 1) % size];
    return owner ? { ...record, ownerReferences: [ownedBy(owner, changes)] } : record;
  });
}

test('two objects that own each other are never collected', () => {
  const finding = {
    because: '2 objects keep each other alive: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1',
    consequences: ['never collected'],
    gcRule: 'GC-22.10',
    edits: [],
  };
  const fix =
    'remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all';
  const owners = (name: string) => `${fix}: kubectl gc owners configmap/${name} -n shop`;
  expect(findingsOf(ownershipCycle, ring(2))).toEqual([
    { at: 'ConfigMap ring-0', ...finding, fix: owners('ring-0') },
    { at: 'ConfigMap ring-1', ...finding, fix: owners('ring-1') },
  ]);
});

test('of a long ring only some members are named', () => {
  const [first, ...rest] = findingsOf(ownershipCycle, ring(7));
  expect([first?.because, rest.length]).toEqual([
    '7 objects keep each other alive: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1, v1 ConfigMap shop/ring-2, v1 ConfigMap shop/ring-3, v1 ConfigMap shop/ring-4 and 2 more',
    6,
  ]);
});

test('a ring whose members are all being deleted in the foreground, and block, never ends', () => {
  const finding = {
    because:
      '2 objects are being deleted in the foreground and each waits for another one: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1',
    consequences: ['blocks a foreground deletion for ever'],
    gcRule: 'GC-23',
    edits: [],
  };
  const fix = 'let one of them stop blocking, or delete it again with --cascade=background';
  const why = (name: string) => `${fix}: kubectl gc why configmap/${name} -n shop --fix`;
  expect(findingsOf(ownershipCycle, ring(2, { deleting: 'foreground' }, blocking))).toEqual([
    { at: 'ConfigMap ring-0', ...finding, fix: why('ring-0') },
    { at: 'ConfigMap ring-1', ...finding, fix: why('ring-1') },
  ]);
});

test('a chain, a ring that unwinds, and one that a wrong name breaks, are fine', () => {
  const [first, second] = ring(2);
  if (!first || !second) throw new Error('a ring of two');
  const leaving = { ...second, deletionTimestamp: '2026-01-02T00:00:00Z' };
  const broken = { ...second, ownerReferences: [ownedBy(first, { name: 'x' })] };
  expect([
    findingsOf(ownershipCycle, [first, configMap('ring-1')]),
    findingsOf(ownershipCycle, [first, leaving]),
    findingsOf(ownershipCycle, [first, broken]),
    findingsOf(ownershipCycle, ring(2, { deleting: 'foreground' })),
  ]).toEqual([[], [], [], []]);
});
