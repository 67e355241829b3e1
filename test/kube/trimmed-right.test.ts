import { expect, test } from 'vitest';
import { trimmedRight } from '../../src/kube/names.ts';

test('characters are removed from the end of a text alone', () => {
  expect(trimmedRight('//a/b//', '/')).toBe('//a/b');
  expect(trimmedRight(' \tx \t', ' \t')).toBe(' \tx');
  expect(['', '///'].map((text) => trimmedRight(text, '/'))).toEqual(['', '']);
});

test('a text of a million such characters before another one takes no longer than its length', () => {
  const text = `${'/'.repeat(1_000_000)}a`;
  expect(trimmedRight(text, '/')).toBe(text);
});
