import { expect, test } from 'vitest';
import { didYouMean, nearestName } from '../../src/kube/names.ts';

const names = ['missing-owner', 'self-owner', 'duplicate-uid'];

test.each([
  ['missing-ownr', 'missing-owner'],
  ['Self-Owner', 'self-owner'],
  ['dupl-uid', undefined],
  ['cat', undefined],
])('%s: %s', (word, name) => {
  expect(nearestName(word, names)).toBe(name);
  expect(didYouMean(word, names)).toEqual(name === undefined ? [] : [`Did you mean ${name}?`]);
});

test('a word as long as a file is compared with no name: that would take minutes', () => {
  expect(nearestName('x'.repeat(50_000_000), names)).toBeUndefined();
});
