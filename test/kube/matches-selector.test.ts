import { expect, test } from 'vitest';
import { matchesSelector } from '../../src/kube/label-selector.ts';

const web = { app: 'web', tier: 'front' };
const matchLabels = { app: 'web' };
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});

test.each([
  ['no selector', undefined, web, false],
  ['an empty one', {}, web, true],
  ['an empty one, no labels', {}, undefined, true],
  ['a label', { matchLabels }, web, true],
  ['another label', { matchLabels: { app: 'db' } }, web, false],
  ['one of two labels', { matchLabels: { ...matchLabels, zone: 'a' } }, web, false],
  ['a label, no labels', { matchLabels }, undefined, false],
  ['In', expression('tier', 'In', 'back', 'front'), web, true],
  ['In, another value', expression('tier', 'In', 'back'), web, false],
  ['In, no label', expression('zone', 'In', ''), web, false],
  ['NotIn', expression('tier', 'NotIn', 'front'), web, false],
  ['NotIn, another value', expression('tier', 'NotIn', 'back'), web, true],
  ['NotIn, no label', expression('zone', 'NotIn', 'a'), web, true],
  ['Exists', expression('app', 'Exists'), web, true],
  ['Exists, no label', expression('zone', 'Exists'), web, false],
  ['DoesNotExist', expression('app', 'DoesNotExist'), web, false],
  ['DoesNotExist, no label', expression('zone', 'DoesNotExist'), web, true],
  ['an unknown operator', expression('app', 'Gt', '1'), web, false],
  ['both, one not met', { matchLabels, ...expression('tier', 'In', 'back') }, web, false],
])('%s', (_, selector, labels, expected) => {
  expect(matchesSelector(selector, labels)).toBe(expected);
});
