import { expect, test } from 'vitest';
import { duplicateUid } from '../../../../src/audit/rules/reference-lists.ts';
import { blocking, ownedBy, ownedByGone, pod, replicaSet } from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const web = replicaSet('web');
const right = ownedBy(web);
const finding = {
  at: 'Pod web-1 > ReplicaSet x',
  because: '2 references name uid uid-replicaset-shop-web; removing one by uid removes them all',
  consequences: ['reference removed'],
  gcRule: 'GC-22.11',
  fix: 'keep one of them',
  edits: ['1: removed'],
};

test('a right and a wrong reference with one uid go together, and the object is left without an owner', () => {
  const record = pod('web-1', { ownerReferences: [right, ownedBy(web, { name: 'x' })] });
  expect(findingsOf(duplicateUid, [record, web])).toEqual([finding]);
});

test('the one that is right is kept, wherever it stands', () => {
  const record = pod('web-1', {
    ownerReferences: [
      ownedBy(web, { name: 'x' }),
      ownedByGone('v1 Secret s'),
      right,
      ownedBy(web, { name: 'y' }),
    ],
  });
  expect(findingsOf(duplicateUid, [record, web])).toEqual([
    {
      ...finding,
      because:
        '3 references name uid uid-replicaset-shop-web; removing one by uid removes them all',
      edits: ['0: removed', '3: removed'],
    },
  ]);
});

test('two that differ in a flag only are harmless until one is to be removed', () => {
  const record = pod('web-1', { ownerReferences: [right, { ...right, ...blocking }] });
  expect(findingsOf(duplicateUid, [record, web])).toEqual([
    { ...finding, at: 'Pod web-1 > ReplicaSet web', consequences: ['none'], gcRule: 'GC-22.10' },
  ]);
});

test('each uid is a case of its own', () => {
  const other = ownedByGone('apps/v1 ReplicaSet gone');
  const record = pod('web-1', {
    ownerReferences: [right, other, ownedBy(web, { name: 'x' }), { ...other, ...blocking }],
  });
  expect(findingsOf(duplicateUid, [record, web]).map(({ at, edits }) => [at, edits])).toEqual([
    ['Pod web-1 > ReplicaSet gone', ['3: removed']],
    ['Pod web-1 > ReplicaSet x', ['2: removed']],
  ]);
});

test('different owners, and references without a uid, are no duplicates', () => {
  const draft = ownedByGone('v1 Secret s', { uid: '' });
  const records = [
    web,
    pod('fine', { ownerReferences: [right, ownedByGone('v1 Secret s')] }),
    pod('draft', { ownerReferences: [draft, draft] }),
  ];
  expect(findingsOf(duplicateUid, records)).toEqual([]);
});
