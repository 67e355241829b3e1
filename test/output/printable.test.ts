import { expect, test } from 'vitest';
import { printable } from '../../src/output/printable.ts';

test.each([
  ['web-1', 'web-1'],
  ['größe 日本 🚢', 'größe 日本 🚢'],
  ['\u001b[31mred', '^[[31mred'],
  ['two\nlines', 'two^Jlines'],
  ['bell\u0007', 'bell^G'],
  ['\u0000\u007f\u009b', '^@  '],
])('%j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});
