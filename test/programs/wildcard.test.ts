import { expect, test } from 'vitest';
import { isLike } from '../../src/programs/scheduled-deletions.ts';

test.each([
  ['*', '', true],
  ['*', 'web', true],
  ['web', 'web', true],
  ['web', 'web-1', false],
  ['web-*', 'web-1', true],
  ['*-web', 'a-web-web', true],
  ['w?b', 'web', true],
  ['w?b', 'wb', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['', '', true],
  ['', 'web', false],
  ['a.c', 'abc', false],
])('%s matches %s: %s', (pattern, text, matches) => {
  expect(isLike(pattern, text)).toBe(matches);
});

test('a pattern of many stars takes no exponential time', () => {
  expect(isLike(`${'*a'.repeat(2000)}b`, 'a'.repeat(4000))).toBe(false);
});
