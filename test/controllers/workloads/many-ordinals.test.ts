import { expect, test } from 'vitest';
import {
  ordinalsBetween,
  ordinalsOf,
} from '../../../src/controllers/workloads/statefulset-pods.ts';
import { claimType } from '../../../src/kube/core-types.ts';
import { bareRecord } from '../../../src/kube/object-record.ts';

const claims = ['data-db-2', 'data-db-2000000000', 'data-other-7', 'data-db-x'].map((name) =>
  bareRecord({ type: claimType, namespace: 'shop', name }),
);

test('ordinals of a few replicas are all there', () => {
  expect(ordinalsBetween(3, 6, () => [])).toEqual([3, 4, 5]);
  expect(ordinalsBetween(6, 3, () => [])).toEqual([]);
});

test('for two thousand million replicas only the used ordinals are computed, and one between them', () => {
  const used = () => ordinalsOf(['data-db'], claims);
  expect(used()).toEqual([2, 2_000_000_000]);
  expect(ordinalsBetween(0, 2 ** 31 - 1, used)).toEqual([0, 2, 3, 2_000_000_000, 2_000_000_001]);
  expect(ordinalsBetween(2, 2_000_000_001, used)).toEqual([2, 3, 2_000_000_000]);
});
