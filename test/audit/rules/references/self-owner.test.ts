import { expect, test } from 'vitest';
import { selfOwner } from '../../../../src/audit/rules/ownership-rings.ts';
import type { OwnerReference } from '../../../../src/kube/object-record.ts';
import {
  blocking,
  configMap,
  type Details,
  ownedBy,
  ownedByGone,
} from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

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
const stuck = 'blocks a foreground deletion for ever';

test('an object that owns itself is kept by itself', () => {
  expect(findingsOf(selfOwner, [narcissus()])).toEqual([finding]);
});

test('and with blockOwnerDeletion it blocks its own deletion', () => {
  expect(findingsOf(selfOwner, [narcissus(blocking)])).toEqual([
    { ...finding, consequences: ['never collected', stuck] },
  ]);
});

test('once that has begun, it never ends', () => {
  const deleting: Details = { deleting: 'foreground' };
  expect(findingsOf(selfOwner, [narcissus(blocking, deleting)])).toEqual([
    { ...finding, consequences: [stuck], gcRule: 'GC-23' },
  ]);
  expect(findingsOf(selfOwner, [narcissus({ ...blocking, name: 'echo' }, deleting)])).toEqual([
    {
      ...finding,
      at: 'ConfigMap narcissus > ConfigMap echo',
      consequences: [stuck],
      gcRule: 'GC-23',
    },
  ]);
});

test.each<[Details, string]>([
  [{ deleting: 'foreground' }, 'GC-23'],
  [{ deleting: 'background', finalizers: ['shop.example.com/drain'] }, 'GC-22.1'],
])('any other deletion goes its way: %j', (details, gcRule) => {
  expect(findingsOf(selfOwner, [narcissus({}, details)])).toEqual([
    { ...finding, consequences: ['already being deleted'], gcRule },
  ]);
});

test('an object that names itself wrongly does not even keep itself', () => {
  expect(findingsOf(selfOwner, [narcissus({ name: 'echo' })])).toEqual([
    {
      ...finding,
      at: 'ConfigMap narcissus > ConfigMap echo',
      consequences: ['deleted on the next pass'],
      gcRule: 'GC-22.13',
    },
  ]);
});

test('others, and manifests without a uid, own themselves not', () => {
  const echo = configMap('echo');
  const records = [
    echo,
    configMap('fine', { ownerReferences: [ownedBy(echo)] }),
    configMap('former', { ownerReferences: [ownedByGone('v1 ConfigMap former')] }),
    narcissus({}, { uid: '' }),
  ];
  expect(findingsOf(selfOwner, records)).toEqual([]);
});
