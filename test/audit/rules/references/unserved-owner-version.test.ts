import { expect, test } from 'vitest';
import { unservedOwnerVersion } from '../../../../src/audit/rules/owner-kinds.ts';
import { autoscaler, blocking, ownedBy, pod, replicaSet } from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const web = replicaSet('web');
const old = ownedBy(web, { apiVersion: 'apps/v1beta2' });
const finding = {
  at: 'Pod web-1 > ReplicaSet web',
  because:
    'apps/v1beta2 does not serve ReplicaSet; v1 of its group does, and the garbage collector never tries another version',
  consequences: ['never collected'],
  gcRule: 'GC-30',
  fix: 'name the owner as apps/v1 ReplicaSet shop/web',
  edits: ['0: apiVersion=apps/v1'],
};

test('an owner named in a version of the past freezes the object', () => {
  expect(findingsOf(unservedOwnerVersion, [pod('web-1', { ownerReferences: [old] }), web])).toEqual(
    [finding],
  );
});

test('and blocks that owner, as blocking goes by uid', () => {
  const record = pod('web-1', { ownerReferences: [{ ...old, ...blocking }] });
  expect(findingsOf(unservedOwnerVersion, [record, web])).toEqual([
    { ...finding, consequences: ['never collected', 'blocks a foreground deletion for ever'] },
  ]);
});

test('a reference to an owner that is gone or elsewhere is removed: a served version would kill the object', () => {
  const removed = {
    ...finding,
    fix: 'remove the reference: no object with that uid could be the owner',
    edits: ['0: removed'],
  };
  const record = pod('web-1', { ownerReferences: [old] });
  const abroad = replicaSet('web', { uid: web.uid, namespace: 'bank' });
  expect(findingsOf(unservedOwnerVersion, [record])).toEqual([removed]);
  expect(findingsOf(unservedOwnerVersion, [record, abroad])).toEqual([removed]);
});

test('every served version is right, preferred or not', () => {
  const scaler = autoscaler('web');
  const records = [
    web,
    scaler,
    pod('v1', { ownerReferences: [ownedBy(web)] }),
    pod('v2', { ownerReferences: [ownedBy(scaler, { apiVersion: 'autoscaling/v1' })] }),
    pod('kind', { ownerReferences: [ownedBy(web, { kind: 'Gone' })] }),
  ];
  expect(findingsOf(unservedOwnerVersion, records)).toEqual([]);
});
