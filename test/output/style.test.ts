import { expect, test } from 'vitest';
import { paintOf, type RenderOptions, styleOf } from '../../src/output/style.ts';

const options: RenderOptions = { colour: true, width: undefined, now: 0 };

test.each([
  ['solid', 32],
  ['keep', 32],
  ['dangling', 31],
  ['delete', 31],
  ['gone', 31],
  ['waiting', 33],
  ['patch', 33],
  ['partly-gone', 33],
  ['terminating', 33],
  ['unresolvable', 35],
  ['frozen', 35],
  ['unknown', 36],
])('%s has the colour %d', (word, colour) => {
  expect(paintOf(styleOf(options), word)(word)).toBe(`\u001b[${colour}m${word}\u001b[39m`);
});

test('other words have none, and no word has one without colours', () => {
  expect(paintOf(styleOf(options), 'unowned')('unowned')).toBe('unowned');
  expect(paintOf(styleOf({ ...options, colour: false }), 'gone')('gone')).toBe('gone');
});
