import { expect, test } from 'vitest';
import { unservedOwnerKind } from '../../../../src/audit/rules/owner-kinds.ts';
import { builtInTypes } from '../../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../../src/kube/resource-types.ts';
import {
  blocking,
  gadget,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
} from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const gone = ownedByGone('gone.example.com/v1 Gone it');
const finding = {
  at: 'Pod web-1 > Gone it',
  because: 'no API serves gone.example.com/v1 Gone',
  consequences: ['never collected'],
  gcRule: 'GC-30',
  fix: 'remove the reference, or install the API that serves the kind',
  edits: ['0: removed'],
};
const web = replicaSet('web');

test('an object of a kind whose CRD is gone is never collected', () => {
  expect(findingsOf(unservedOwnerKind, [pod('web-1', { ownerReferences: [gone] })])).toEqual([
    finding,
  ]);
});

test('not even when all other owners are missing, or one lives', () => {
  const missing = pod('web-1', { ownerReferences: [gone, ownedByGone('v1 Secret x')] });
  expect(findingsOf(unservedOwnerKind, [missing])).toEqual([finding]);
  const kept = pod('web-1', { ownerReferences: [gone, ownedBy(web)] });
  expect(findingsOf(unservedOwnerKind, [kept, web])).toEqual([finding]);
});

test('and if it blocks any owner, that one can never be deleted in the foreground', () => {
  const record = pod('web-1', { ownerReferences: [gone, ownedBy(web, blocking)] });
  expect(findingsOf(unservedOwnerKind, [record, web])).toEqual([
    { ...finding, consequences: ['never collected', 'blocks a foreground deletion for ever'] },
  ]);
  const itself = pod('web-1', { ownerReferences: [{ ...gone, ...blocking }] });
  expect(findingsOf(unservedOwnerKind, [itself])).toEqual([finding]);
});

test('when the uid is known, the reference is mended rather than removed', () => {
  const record = pod('web-1', { ownerReferences: [ownedBy(web, { kind: 'Replicas', name: 'x' })] });
  expect(findingsOf(unservedOwnerKind, [record, web])).toEqual([
    {
      ...finding,
      at: 'Pod web-1 > Replicas x',
      because: 'no API serves apps/v1 Replicas',
      fix: 'name the owner as apps/v1 ReplicaSet shop/web',
      edits: ['0: kind=ReplicaSet name=web'],
    },
  ]);
});

test('an object that is being deleted blocks no longer than its own finalizers', () => {
  const record = pod('web-1', {
    ownerReferences: [gone, ownedBy(web, blocking)],
    deleting: 'background',
  });
  expect(findingsOf(unservedOwnerKind, [record, web])).toEqual([
    { ...finding, consequences: ['already being deleted'], gcRule: 'GC-22.1' },
  ]);
});

test('does not fire for kinds that are served in another spelling or version, or that are not known', () => {
  const rack = gadget('rack');
  const types = new ResourceTypes([...builtInTypes, rack.type], {
    failed: [{ group: 'metrics.k8s.io', version: undefined, message: 'no server' }],
    exhaustive: true,
  });
  const records = [
    rack,
    web,
    pod('fine', { ownerReferences: [ownedBy(rack, { kind: 'gadget' })] }),
    pod('version', { ownerReferences: [ownedBy(web, { apiVersion: 'apps/v1beta2' })] }),
    pod('list', { ownerReferences: [ownedByGone('v1 PodList x')] }),
    pod('unsure', { ownerReferences: [ownedByGone('metrics.k8s.io/v1 PodMetrics x')] }),
  ];
  expect(findingsOf(unservedOwnerKind, records, { types })).toEqual([]);
});
