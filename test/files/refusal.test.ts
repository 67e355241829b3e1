import { describe, expect, test } from 'vitest';
import { reasonUnreadable } from '../../src/files/input-bytes.ts';
import { UnreadableInput } from '../../src/files/parsing/parse-json.ts';

describe('refusalOf', () => {
  test.each([
    ['ENOENT', 'it does not exist'],
    ['ENOTDIR', 'it does not exist'],
    ['EACCES', 'permission denied'],
    ['EPERM', 'permission denied'],
    ['ELOOP', expect.stringContaining('symbolic links')],
    ['EIO', 'the system reports EIO'],
  ])('says in words what %s means', (code, words) => {
    const error = Object.assign(new Error(`${code}: failed`), { code });
    expect(reasonUnreadable(error)).toEqual(words);
  });

  test('says what is no text, and nothing about our own mistakes', () => {
    expect(reasonUnreadable(new UnreadableInput('a binary file'))).toBe('a binary file');
    expect(reasonUnreadable(new TypeError('a bug'))).toBeUndefined();
  });
});
