import { expect, test } from 'vitest';
import { unavailableApi } from '../../../../src/audit/rules/garbage-collector.ts';
import { ResourceTypes } from '../../../../src/kube/resource-types.ts';
import { builderOf, servedTypes } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const service = builderOf('apiregistration.k8s.io/v1', 'APIService');
const typesWith = (version: string | undefined) =>
  new ResourceTypes(servedTypes.all, {
    exhaustive: true,
    failed: [{ group: 'metrics.example.com', version, message: 'no endpoints' }],
  });

test.each([
  ['a version', 'v1', 'v1.metrics.example.com', 'metrics.example.com/v1'],
  ['a whole group', undefined, 'metrics.example.com', 'metrics.example.com'],
])('%s, whether its APIService was read or not', (_, version, name, shown) => {
  const types = typesWith(version);
  const expected = [
    {
      at: `APIService ${name}`,
      message: `the kinds of ${shown} could not be discovered: no endpoints`,
      command: 'kubectl gc why --gc',
    },
  ];
  expect(violationsOf(unavailableApi, [service(name)], { types })).toEqual(expected);
  expect(violationsOf(unavailableApi, [], { types })).toEqual(expected);
});

test('every API answers', () => {
  expect(violationsOf(unavailableApi, [service('v1.')])).toEqual([]);
});
