import { describe, expect, test } from 'vitest';
import { reasonUnreadable } from '../../src/files/file-bytes.ts';
import { NotText } from '../../src/files/parsing/parse-json.ts';

describe('refusalOf', () => {
  test.each([
    ['ENOENT', 'it does not exist'],
    ['ENOTDIR', 'it does not exist'],
    ['EACCES', 'permission denied'],
    ['EPERM', 'permission denied'],
    ['ELOOP', 'its symbolic links form a loop'],
    ['EIO', 'the system reports EIO'],
  ])('says in words what %s means', (code, words) => {
    expect(reasonUnreadable(Object.assign(new Error(`${code}: failed`), { code }))).toBe(words);
  });

  test('says what is no text, and nothing about our own mistakes', () => {
    expect(reasonUnreadable(new NotText('it is a binary file'))).toBe('it is a binary file');
    expect(reasonUnreadable(new TypeError('x is not a function'))).toBeUndefined();
  });
});
