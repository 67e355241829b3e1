import { expect, test } from 'vitest';
import { ownerKindMismatch } from '../../../../src/audit/rules/owner-mismatch.ts';
import { clusterRole, ownedBy, pod, replicaSet, secret } from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const web = replicaSet('web');
const wrong = ownedBy(web, { apiVersion: 'apps/v1', kind: 'Deployment' });
const finding = {
  at: 'Pod web-1 > Deployment web',
  because:
    'the uid is that of apps/v1 ReplicaSet shop/web, but the reference says apps/v1 Deployment web',
  consequences: ['deleted on the next pass'],
  gcRule: 'GC-22.13',
  fix: 'name the owner as apps/v1 ReplicaSet shop/web',
  edits: ['0: kind=ReplicaSet'],
};

test('a uid under the wrong kind is no owner', () => {
  expect(findingsOf(ownerKindMismatch, [pod('web-1', { ownerReferences: [wrong] }), web])).toEqual([
    finding,
  ]);
});

test('the repair mends group and name as well', () => {
  const reference = ownedBy(web, { apiVersion: 'v1', kind: 'Secret', name: 'x' });
  const record = pod('web-1', { ownerReferences: [reference] });
  expect(findingsOf(ownerKindMismatch, [record, web]).map(({ edits }) => edits)).toEqual([
    ['0: apiVersion=apps/v1 kind=ReplicaSet name=web'],
  ]);
});

test('a list of its kind is another kind', () => {
  const record = pod('web-1', { ownerReferences: [ownedBy(web, { kind: 'ReplicaSetList' })] });
  expect(findingsOf(ownerKindMismatch, [record, web]).map(({ edits }) => edits)).toEqual([
    ['0: kind=ReplicaSet'],
  ]);
});

test('a cluster-scoped object cannot be given a namespaced owner', () => {
  const reference = ownedBy(web, { apiVersion: 'v1', kind: 'Node' });
  const record = clusterRole('reader', { ownerReferences: [reference] });
  expect(findingsOf(ownerKindMismatch, [record, web])).toEqual([
    {
      ...finding,
      at: 'ClusterRole reader > Node web',
      because: 'the uid is that of apps/v1 ReplicaSet shop/web, but the reference says v1 Node web',
      fix: 'remove the reference',
      edits: ['0: removed'],
    },
  ]);
});

test('does not fire for lower case, a wrong name, another namespace or a kind that is not served', () => {
  const vault = secret('vault', { namespace: 'bank' });
  const records = [
    web,
    vault,
    pod('fine', { ownerReferences: [ownedBy(web, { kind: 'replicaset' })] }),
    pod('misnamed', { ownerReferences: [ownedBy(web, { name: 'x' })] }),
    pod('abroad', { ownerReferences: [ownedBy(vault, { kind: 'ConfigMap' })] }),
    pod('frozen', { ownerReferences: [ownedBy(web, { kind: 'Sett' })] }),
  ];
  expect(findingsOf(ownerKindMismatch, records)).toEqual([]);
});
