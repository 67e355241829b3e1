import { describe, expect, test } from 'vitest';
import { orphanedEndpointSlice } from '../../../../src/audit/rules/workloads.ts';
import { builderOf, type Details, ownedBy } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const slice = builderOf('discovery.k8s.io/v1', 'EndpointSlice');
const service = builderOf('v1', 'Service');
const labels = (managedBy?: string) => ({
  'kubernetes.io/service-name': 'cart',
  ...(managedBy && { 'endpointslice.kubernetes.io/managed-by': managedBy }),
});
const left = (details: Details = {}) =>
  slice('cart-x7k2p', { labels: labels('endpointslice-controller.k8s.io'), ...details });

describe('a slice of a Service that is gone', () => {
  test('of the endpointslice controller', () => {
    expect(violationsOf(orphanedEndpointSlice, [left()])).toEqual([
      {
        at: 'EndpointSlice cart-x7k2p',
        message:
          'there is no Service cart, and the slice has no owner; it is managed by endpointslice-controller.k8s.io',
        command: 'kubectl delete endpointslice.discovery.k8s.io/cart-x7k2p -n shop',
      },
    ]);
  });

  test.each([
    [undefined, 'an unknown program'],
    ['example.com/mesh', 'example.com/mesh'],
  ])('of %s may still be deleted', (manager, words) => {
    const found = violationsOf(orphanedEndpointSlice, [left({ labels: labels(manager) })]);
    const message = `there is no Service cart, and the slice has no owner; it is managed by ${words}`;
    expect(found).toMatchObject([{ message, confidence: 'likely' }]);
  });
});

test.each<[string, Details]>([
  ['has its Service as owner', { ownerReferences: [ownedBy(service('cart'))] }],
  ['is of no Service', { labels: {} }],
  ['is mirrored', { labels: labels('endpointslicemirroring-controller.k8s.io') }],
  ['is being deleted', { deleting: 'background' }],
])('one is left alone that %s', (_, details) => {
  expect(violationsOf(orphanedEndpointSlice, [left(details)])).toEqual([]);
});

test('one is left alone whose Service exists', () => {
  expect(violationsOf(orphanedEndpointSlice, [left(), service('cart')])).toEqual([]);
});

test('is not checked while Services were not read', () => {
  expect(violationsOf(orphanedEndpointSlice, [left()], { unread: ['services'] })).toEqual([
    { notChecked: 1, because: 'services in shop were not read' },
  ]);
});
