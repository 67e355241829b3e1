import { expect, test } from 'vitest';
import { missingBlockOwnerDeletion } from '../../../../src/audit/rules/garbage-collector.ts';
import type { ObjectRecord, OwnerReference } from '../../../../src/kube/object-record.ts';
import {
  builderOf,
  deployment,
  node,
  ownedBy,
  pod,
  replicaSet,
} from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const set = replicaSet('web-1');
const podOf = (owner: ObjectRecord, changes: Partial<OwnerReference>) =>
  pod('web-1-a', { ownerReferences: [ownedBy(owner, { controller: true, ...changes })] });

test.each([
  [undefined, 'not set'],
  [false, 'false'],
])('blockOwnerDeletion: %s', (blockOwnerDeletion, word) => {
  expect(
    violationsOf(missingBlockOwnerDeletion, [set, podOf(set, { blockOwnerDeletion })]),
  ).toEqual([
    {
      at: 'Pod web-1-a',
      message: `its controller ReplicaSet web-1 makes what it creates block it, but blockOwnerDeletion is ${word} here`,
      command: `kubectl patch pod/web-1-a -n shop --type=json -p '[{"op":"test","path":"/metadata/ownerReferences/0/uid","value":"${set.uid}"},{"op":"add","path":"/metadata/ownerReferences/0/blockOwnerDeletion","value":true}]'`,
      related: ['ReplicaSet web-1'],
    },
  ]);
});

const claim = builderOf('v1', 'PersistentVolumeClaim');
const statefulSet = builderOf('apps/v1', 'StatefulSet')('db');

test.each<[string, ObjectRecord[]]>([
  ['it blocks', [set, podOf(set, { blockOwnerDeletion: true })]],
  ['the owner is not its controller', [set, podOf(set, { controller: false })]],
  ['the owner is gone', [podOf(set, {})]],
  ['it is being deleted', [set, { ...podOf(set, {}), deletionTimestamp: '2026-01-02T00:00:00Z' }]],
  ['the owner lets nothing block: a mirror pod', [node('a'), podOf(node('a'), {})]],
  ['it is no pod of a Deployment', [deployment('web'), podOf(deployment('web'), {})]],
  [
    'it is a claim, which its StatefulSet does not control',
    [statefulSet, claim('data-db-0', { ownerReferences: [ownedBy(statefulSet)] })],
  ],
])('not when %s', (_, records) => {
  expect(violationsOf(missingBlockOwnerDeletion, records)).toEqual([]);
});
