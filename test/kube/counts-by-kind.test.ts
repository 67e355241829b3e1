import { expect, test } from 'vitest';
import { counted, countsByKind, kindCounts } from '../../src/kube/counts-by-kind.ts';
import { compareText } from '../../src/kube/names.ts';
import { deployment, pod } from '../support/builders.ts';

test('the most first, and then by name', () => {
  expect(kindCounts(['Secret', 'Pod', 'ConfigMap', 'Pod'])).toEqual([
    ['Pod', 2],
    ['ConfigMap', 1],
    ['Secret', 1],
  ]);
  expect(countsByKind([deployment('web'), pod('a'), pod('b')].map(({ type }) => type))).toBe(
    '2 Pods, 1 Deployment',
  );
});

test('nouns in the plural', () => {
  expect([1, 2].map((count) => counted(count, 'NetworkPolicy'))).toEqual([
    '1 NetworkPolicy',
    '2 NetworkPolicies',
  ]);
  expect([counted(2, 'object'), counted(3, 'Ingress')]).toEqual(['2 objects', '3 Ingresses']);
});

test('text is ordered by code units, whatever the locale', () => {
  expect(['b', 'a', 'B', 'a', 'ä'].sort(compareText)).toEqual(['B', 'a', 'a', 'b', 'ä']);
});
