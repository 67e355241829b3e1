import { expect, test } from 'vitest';
import { treeReport } from '../../../src/output/documents/owners-and-tree.ts';
import { graphOf, ownedBy, pod, replicaSet, type SnapshotOptions } from '../../support/builders.ts';

const set = replicaSet('web-7d9', { facts: { replicas: 3, statusReplicas: 3 } });
const own = pod('web-7d9-a', {
  ownerReferences: [ownedBy(set, { controller: true })],
  facts: { conditions: [{ type: 'Ready', status: 'True' }] },
});
const files: SnapshotOptions = { origin: { kind: 'files', paths: [] } };

test.each<[string, SnapshotOptions, string | undefined]>([
  ['is 0 on a cluster whose answer leaves it out', {}, '0/3'],
  ['of an older snapshot counts the ready ones among its pods', files, '1/3'],
  ['is not known where pods were not read', { ...files, coverage: { read: [] } }, undefined],
])('READY of a ReplicaSet %s', (_, options, ready) => {
  expect(treeReport(graphOf([set, own], options), [set]).nodes[0]?.ready).toBe(ready);
});
