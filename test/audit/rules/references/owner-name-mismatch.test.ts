import { expect, test } from 'vitest';
import { ownerNameMismatch } from '../../../../src/audit/rules/owner-mismatch.ts';
import { autoscaler, ownedBy, pod, replicaSet, secret } from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const blue = replicaSet('blue');
const finding = {
  at: 'Pod web-1 > ReplicaSet bleu',
  because: 'the uid is that of apps/v1 ReplicaSet shop/blue, but the reference says bleu',
  consequences: ['deleted on the next pass'],
  gcRule: 'GC-22.13',
  fix: 'name the owner as apps/v1 ReplicaSet shop/blue',
  edits: ['0: name=blue'],
};

test('a misspelt owner is no owner', () => {
  const record = pod('web-1', { ownerReferences: [ownedBy(blue, { name: 'bleu' })] });
  expect(findingsOf(ownerNameMismatch, [record, blue])).toEqual([finding]);
});

test('not even if its name is that of another one', () => {
  const other = replicaSet('bleu');
  const record = pod('web-1', { ownerReferences: [ownedBy(blue, { name: 'bleu' })] });
  expect(findingsOf(ownerNameMismatch, [record, blue, other])).toEqual([finding]);
});

test('the same uid named rightly as well: the patch by uid takes both', () => {
  const record = pod('web-1', {
    ownerReferences: [ownedBy(blue, { name: 'bleu' }), ownedBy(blue)],
  });
  expect(findingsOf(ownerNameMismatch, [record, blue])).toEqual([
    { ...finding, consequences: ['reference removed'], gcRule: 'GC-22.11' },
  ]);
});

test('in another version that is served it is the same kind', () => {
  const scaler = autoscaler('web');
  const reference = ownedBy(scaler, { apiVersion: 'autoscaling/v1', name: 'wbe' });
  const record = pod('web-1', { ownerReferences: [reference] });
  expect(findingsOf(ownerNameMismatch, [record, scaler]).map(({ edits }) => edits)).toEqual([
    ['0: apiVersion=autoscaling/v2 name=web'],
  ]);
});

test('a wrong kind, a wrong namespace or nothing wrong is another matter', () => {
  const vault = secret('vault', { namespace: 'bank' });
  const records = [
    blue,
    vault,
    pod('fine', { ownerReferences: [ownedBy(blue)] }),
    pod('kind', { ownerReferences: [ownedBy(blue, { kind: 'Deployment', name: 'bleu' })] }),
    pod('abroad', { ownerReferences: [ownedBy(vault, { name: 'x' })] }),
    pod('frozen', { ownerReferences: [ownedBy(blue, { apiVersion: 'apps/v1beta2', name: 'x' })] }),
  ];
  expect(findingsOf(ownerNameMismatch, records)).toEqual([]);
});
