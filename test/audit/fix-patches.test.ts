import { describe, expect, test } from 'vitest';
import { fixPatches } from '../../src/audit/fixes.ts';
import type { ReferenceEdit, ReferenceFinding } from '../../src/audit/rules/reference-findings.ts';
import type { ObjectRecord, OwnerReference } from '../../src/kube/object-record.ts';
import { blocking, ownedByGone, pod } from '../support/builders.ts';

const web = ownedByGone('apps/v1 ReplicaSet web');
const db = ownedByGone('v1 Secret db', blocking);
const plainWeb = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'uid-gone-web' };
const plainDb = {
  apiVersion: 'v1',
  kind: 'Secret',
  name: 'db',
  uid: 'uid-gone-db',
  blockOwnerDeletion: true,
};

function finding(object: ObjectRecord, ...edits: ReferenceEdit[]): ReferenceFinding {
  return {
    rule: 'missing-owner',
    object,
    reference: undefined,
    severity: 'info',
    confidence: 'certain',
    message: '',
    consequences: ['none'],
    consequence: 'none',
    related: [],
    kubernetesRule: '',
    fix: { summary: '', edits },
  };
}

/** What the patch of one pod with these references leaves of them. */
function left(references: readonly OwnerReference[], ...edits: ReferenceEdit[][]): unknown {
  const record = pod('web-1', { ownerReferences: references });
  const [patch] = fixPatches(edits.map((list) => finding(record, ...list)));
  const last = patch?.patch.at(-1);
  return last?.op === 'remove' ? [] : last?.value;
}

test('a patch first tests that the object and its references are those that were judged', () => {
  const record = pod('web-1', { ownerReferences: [web, db] });
  expect(fixPatches([finding(record, { index: 0, to: undefined })])).toMatchObject([
    {
      record,
      patch: [
        { op: 'test', path: '/metadata/uid', value: 'uid-pod-shop-web-1' },
        { op: 'test', path: '/metadata/ownerReferences', value: [plainWeb, plainDb] },
        { op: 'replace', path: '/metadata/ownerReferences', value: [plainDb] },
      ],
    },
  ]);
});

test('a fix that removes the last reference removes the field ownerReferences', () => {
  const record = pod('web-1', { ownerReferences: [web] });
  const [patch] = fixPatches([finding(record, { index: 0, to: undefined })]);
  expect(patch?.patch.at(-1)).toEqual({ op: 'remove', path: '/metadata/ownerReferences' });
});

describe('all edits of an object are one patch', () => {
  test('that changes different entries', () => {
    expect(
      left(
        [web, db],
        [{ index: 0, to: { ...web, name: 'www' } }],
        [{ index: 1, to: { ...db, kind: 'ConfigMap' } }],
      ),
    ).toEqual([
      { ...plainWeb, name: 'www' },
      { ...plainDb, kind: 'ConfigMap' },
    ]);
  });

  test('that merges what two rules change in one entry', () => {
    const renamed = { index: 0, to: { ...web, name: 'www' } };
    const controlled = { index: 0, to: { ...web, controller: false } };
    const expected = [{ ...plainWeb, name: 'www', controller: false }];
    expect(left([web], [renamed], [controlled])).toEqual(expected);
    expect(left([web], [controlled], [renamed])).toEqual(expected);
    expect(left([web], [renamed, controlled])).toEqual(expected);
  });

  test('in which removal wins', () => {
    const renamed = { index: 0, to: { ...web, name: 'www' } };
    const removed = { index: 0, to: undefined };
    expect(left([web, db], [renamed], [removed])).toEqual([plainDb]);
    expect(left([web, db], [removed], [renamed])).toEqual([plainDb]);
  });

  test('that names no owner twice', () => {
    const redirected = { index: 0, to: { ...web, uid: db.uid } };
    expect(left([web, db], [redirected])).toEqual([plainDb]);
    const both = [web, { ...web, uid: 'uid-older' }];
    const edits = both.map((_, index) => ({ index, to: { ...web, uid: 'uid-new' } }));
    expect(left(both, edits)).toEqual([{ ...plainWeb, uid: 'uid-new' }]);
  });

  test('in which the entry that replaces a removed one stays', () => {
    const redirected = { index: 0, to: { ...web, uid: db.uid } };
    expect(left([web, db], [redirected], [{ index: 1, to: undefined }])).toEqual([
      { ...plainWeb, uid: db.uid },
    ]);
  });
});

test('the fixes have one patch for each object, in the order of the findings', () => {
  const [one, two] = [
    pod('web-1', { ownerReferences: [web] }),
    pod('web-2', { ownerReferences: [web] }),
  ];
  const removed = { index: 0, to: undefined };
  const patches = fixPatches([finding(two, removed), finding(one, removed), finding(two, removed)]);
  expect(patches.map(({ record }) => record.name)).toEqual(['web-2', 'web-1']);
});

test('a reference that no edit fixes, or of a manifest that was never applied, gets no patch', () => {
  const draft = pod('draft', { uid: '', ownerReferences: [web] });
  expect(fixPatches([finding(pod('web-1')), finding(draft, { index: 0, to: undefined })])).toEqual(
    [],
  );
});
