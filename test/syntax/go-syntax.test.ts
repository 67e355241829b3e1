import { expect, test } from 'vitest';
import {
  formatGoDuration,
  goDurationFault,
  goSyntaxFault,
  parseGoBool,
  parseGoDuration,
  parseGoFloat,
  parseQuantity,
} from '../../src/syntax/go-syntax.ts';
import { pairsOf, rowsOf } from '../support/rows.ts';

const durations = pairsOf(`
  0 0   2m 120000   1h30m 5400000   1.5s 1500   -1s -1000   250ms 250   1ns 0.000001   2µs 0.002   1us 0.001   .5s 500
  1.s 1000   +5s 5000
`);
test.each(durations)('the duration %s is %s ms', (text = '', milliseconds) => {
  expect(parseGoDuration(text)).toBe(Number(milliseconds));
});

const formatted = pairsOf(`
  0 0s   120000 2m0s   259200000 72h0m0s   1500 1.5s   250 250ms   300 300ms   0.5 500µs   0.0001 100ns   1000 1s
  90000 1m30s   3630000 1h0m30s   -1000 -1s
`);
test.each(formatted)('%s ms as Go prints them: %s', (milliseconds, text) => {
  expect(formatGoDuration(Number(milliseconds))).toBe(text);
});

test('quantities', () => {
  const quantities = ['100Mi', '1.5G', '1e3', '5', '5X', ''];
  expect(quantities.map(parseQuantity)).toEqual([104857600, 1.5e9, 1000, 5, undefined, undefined]);
});

/** What time.ParseDuration of Go 1.26 says. */
const faults = rowsOf(`
  time: invalid duration "%"             | | - | soon | .s | --5s | 1m. | m
  time: missing unit in duration "%"     | 5 | 1h5
  time: unknown unit "d" in duration "%" | 3d
  time: unknown unit "h " in duration "%" | 1h 5m
  time: unknown unit "e" in duration "%" | 1e3s
  time: unknown unit "constructor" in duration "%" | 1constructor
`);
test.each(faults)('%s', (fault = '', ...texts) => {
  expect(texts.map(goDurationFault)).toEqual(texts.map((text) => fault.replace('%', text)));
  expect(texts.map(parseGoDuration)).toEqual(texts.map(() => undefined));
});

test('a duration has no fault', () => {
  expect(['-1s', '0', '1h0m'].map(goDurationFault)).toEqual([undefined, undefined, undefined]);
});

test.each([
  [['1', 't', 'T', 'TRUE', 'true', 'True'], true],
  [['0', 'f', 'F', 'FALSE', 'false', 'False'], false],
  [['', 'yes', 'tRUE', ' true', '2'], undefined],
])('%j as booleans', (texts, value) => {
  expect(texts.map(parseGoBool)).toEqual(texts.map(() => value));
});

test('floats', () => {
  const floats = ['1.5', '-.5e1', '1.', '1e', '', 'five'];
  expect(floats.map(parseGoFloat)).toEqual([1.5, -5, 1, undefined, undefined, undefined]);
});

test("Go's words for a value that it cannot read", () => {
  expect(goSyntaxFault('ParseBool', 'yes')).toBe(
    'strconv.ParseBool: parsing "yes": invalid syntax',
  );
});
