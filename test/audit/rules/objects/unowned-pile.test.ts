import { expect, test } from 'vitest';
import { unownedPile } from '../../../../src/audit/rules/objects/unowned-pile.ts';
import { clusterRole, configMap, event, ownedBy } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const pile = (count: number, build = configMap, namespace = 'shop') =>
  Array.from({ length: count }, (_, n) => build(`x-${String(n).padStart(6, '0')}`, { namespace }));
const older = configMap('zero', { creationTimestamp: '2025-01-01T00:00:00Z' });

test.each([
  [10_000, {}],
  [100_000, { severity: 'warning' }],
])('more than %s in a namespace: the oldest is named', (count, more) => {
  expect(violationsOf(unownedPile, [...pile(count), older])).toEqual([
    {
      at: 'ConfigMap zero',
      message: `the oldest of ${count + 1} ConfigMaps in shop without an owner`,
      command: 'kubectl gc orphans configmaps -n shop --unmanaged',
      related: [],
      ...more,
    },
  ]);
});

test('of a cluster-scoped kind', () => {
  expect(violationsOf(unownedPile, pile(10_001, clusterRole))).toMatchObject([
    {
      at: 'ClusterRole x-000000',
      message: 'the oldest of 10001 ClusterRoles without an owner',
      command: 'kubectl gc orphans clusterroles.rbac.authorization.k8s.io --unmanaged',
    },
  ]);
});

test.each([
  ['two namespaces share them', [...pile(9000), ...pile(9000, configMap, 'bank')]],
  ['they are Events', pile(10_001, event)],
  [
    'somebody owns them',
    pile(10_001).map((one) => ({ ...one, ownerReferences: [ownedBy(older)] })),
  ],
])('not when %s', (_, records) => {
  expect(violationsOf(unownedPile, records)).toEqual([]);
});
