import { expect, test } from 'vitest';
import { orphanedNodeLease } from '../../../../src/audit/rules/nodes.ts';
import { builderOf, type Details, node, ownedBy } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const build = builderOf('coordination.k8s.io/v1', 'Lease');
const lease = (renewTime?: string, details: Details = {}) =>
  build('worker-7', {
    namespace: 'kube-node-lease',
    facts: renewTime === undefined ? {} : { renewTime },
    ...details,
  });
const old = '2026-01-02T00:00:00.000000Z';

test.each([
  [old, 'last renewed 24h ago'],
  [undefined, 'never renewed'],
])('a Lease of no Node, renewed %s', (renewTime, words) => {
  expect(violationsOf(orphanedNodeLease, [lease(renewTime)])).toEqual([
    {
      at: 'Lease worker-7',
      message: `Node worker-7 does not exist; the Lease has no owner, and was ${words}`,
      command: 'kubectl delete lease.coordination.k8s.io/worker-7 -n kube-node-lease',
    },
  ]);
});

test.each([
  ['its Node exists', [lease(old), node('worker-7')]],
  ['it has an owner', [lease(old, { ownerReferences: [ownedBy(node('worker-7'))] })]],
  ['it is of something else', [lease(old, { namespace: 'kube-system' })]],
  ['a kubelet renews it', [lease('2026-01-02T23:59:30.000000Z')]],
])('a Lease is left alone: %s', (_, records) => {
  expect(violationsOf(orphanedNodeLease, records)).toEqual([]);
});

test('is not checked while Nodes were not read', () => {
  expect(violationsOf(orphanedNodeLease, [lease(old)], { unread: ['nodes'] })).toEqual([
    { notChecked: 1, because: 'nodes were not read' },
  ]);
});
