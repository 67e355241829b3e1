import { describe, expect, test } from 'vitest';
import { ownershipCycle, selfOwner } from '../../../../src/audit/rules/ownership-rings.ts';
import type { OwnerReference } from '../../../../src/kube/object-record.ts';
import {
  blocking,
  configMap,
  type Details,
  ownedBy,
  ownedByGone,
} from '../../../support/builders.ts';
import { finder } from '../../../support/findings.ts';

const stuck = 'blocks a foreground deletion for ever';

describe('self-owner', () => {
  const found = finder(selfOwner);
  function narcissus(changes: Partial<OwnerReference> = {}, details: Details = {}) {
    const bare = configMap('narcissus', details);
    return { ...bare, ownerReferences: [ownedBy(bare, changes)] };
  }
  const finding = {
    at: 'ConfigMap narcissus > ConfigMap narcissus',
    because: 'the reference names the object itself',
    consequences: ['never collected'],
    gcRule: 'GC-22.10',
    fix: 'remove the reference',
    edits: ['0: removed'],
  };
  const misnamed = { ...finding, at: 'ConfigMap narcissus > ConfigMap echo' };

  test('an object that owns itself is kept by itself', () => {
    expect(found(narcissus())).toEqual([finding]);
  });

  test('and with blockOwnerDeletion it blocks its own deletion', () => {
    const consequences = ['never collected', stuck];
    expect(found(narcissus(blocking))).toEqual([{ ...finding, consequences }]);
  });

  test('once that has begun, it never ends', () => {
    const deleting: Details = { deleting: 'foreground' };
    const endless = { consequences: [stuck], gcRule: 'GC-23' };
    expect(found(narcissus(blocking, deleting))).toEqual([{ ...finding, ...endless }]);
    expect(found(narcissus({ ...blocking, name: 'echo' }, deleting))).toEqual([
      { ...misnamed, ...endless },
    ]);
  });

  test.each<[Details, string]>([
    [{ deleting: 'foreground' }, 'GC-23'],
    [{ deleting: 'background', finalizers: ['shop.example.com/drain'] }, 'GC-22.1'],
  ])('any other deletion goes its way: %j', (details, gcRule) => {
    const consequences = ['already being deleted'];
    expect(found(narcissus({}, details))).toEqual([{ ...finding, consequences, gcRule }]);
  });

  test('an object that names itself wrongly does not even keep itself', () => {
    expect(found(narcissus({ name: 'echo' }))).toEqual([
      { ...misnamed, consequences: ['deleted on the next pass'], gcRule: 'GC-22.13' },
    ]);
  });

  test('others, and manifests without a uid, own themselves not', () => {
    const echo = configMap('echo');
    const fine = configMap('fine', { ownerReferences: [ownedBy(echo)] });
    const former = configMap('former', { ownerReferences: [ownedByGone('v1 ConfigMap former')] });
    expect(found(echo, fine, former, narcissus({}, { uid: '' }))).toEqual([]);
  });
});

describe('ownership-cycle', () => {
  const found = finder(ownershipCycle);
  function ring(size: number, details: Details = {}, changes = {}) {
    const bare = Array.from({ length: size }, (_, i) => configMap(`ring-${i}`, details));
    return bare.map((record, i) => {
      const owner = bare[(i + 1) % size];
      return owner ? { ...record, ownerReferences: [ownedBy(owner, changes)] } : record;
    });
  }
  const members = (...numbers: number[]) =>
    numbers.map((number) => `v1 ConfigMap shop/ring-${number}`).join(', ');
  /** Of both objects of a ring, with the command of each. */
  const both = (finding: object, fix: string, command: string, flag = '') =>
    ['ring-0', 'ring-1'].map((name) => ({
      at: `ConfigMap ${name}`,
      ...finding,
      fix: `${fix}: kubectl gc ${command} configmap/${name} -n shop${flag}`,
      edits: [],
    }));

  test('two objects that own each other are never collected', () => {
    const finding = {
      because: `2 objects keep each other alive: ${members(0, 1)}`,
      consequences: ['never collected'],
      gcRule: 'GC-22.10',
    };
    const fix =
      'remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all';
    expect(found(...ring(2))).toEqual(both(finding, fix, 'owners'));
  });

  test('of a long ring only some members are named', () => {
    const [first, ...rest] = found(...ring(7));
    expect([first?.because, rest.length]).toEqual([
      `7 objects keep each other alive: ${members(0, 1, 2, 3, 4)} and 2 more`,
      6,
    ]);
  });

  test('a ring whose members are all being deleted in the foreground, and block, never ends', () => {
    const finding = {
      because: `2 objects are being deleted in the foreground and each waits for another one: ${members(0, 1)}`,
      consequences: [stuck],
      gcRule: 'GC-23',
    };
    const fix = 'let one of them stop blocking, or delete it again with --cascade=background';
    expect(found(...ring(2, { deleting: 'foreground' }, blocking))).toEqual(
      both(finding, fix, 'why', ' --fix'),
    );
  });

  test('a chain, a ring that unwinds, and one that a wrong name breaks, are fine', () => {
    const [first, second] = ring(2);
    if (!first || !second) throw new Error('a ring of two');
    const leaving = { ...second, deletionTimestamp: '2026-01-02T00:00:00Z' };
    const broken = { ...second, ownerReferences: [ownedBy(first, { name: 'x' })] };
    expect([
      found(first, configMap('ring-1')),
      found(first, leaving),
      found(first, broken),
      found(...ring(2, { deleting: 'foreground' })),
    ]).toEqual([[], [], [], []]);
  });
});
