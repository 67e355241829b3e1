import { expect, test } from 'vitest';
import {
  formatGoDuration,
  goDurationFault,
  goSyntaxFault,
  parseGoBool,
  parseGoDuration,
  parseGoFloat,
  parseQuantity,
} from '../../src/kube/go-syntax.ts';

test.each([
  ['0', 0],
  ['2m', 120_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['-1s', -1000],
  ['250ms', 250],
  ['1ns', 1e-6],
  ['2µs', 0.002],
  ['1us', 0.001],
  ['.5s', 500],
  ['1.s', 1000],
  ['+5s', 5000],
  ['3d', undefined],
  ['', undefined],
  ['5', undefined],
  ['m', undefined],
])('the duration %j', (text, milliseconds) => {
  expect(parseGoDuration(text)).toBe(milliseconds);
});

test.each([
  [0, '0s'],
  [120_000, '2m0s'],
  [259_200_000, '72h0m0s'],
  [1500, '1.5s'],
  [250, '250ms'],
  [300, '300ms'],
  [0.5, '500µs'],
  [1e-4, '100ns'],
  [1000, '1s'],
  [90_000, '1m30s'],
  [3_630_000, '1h0m30s'],
  [-1000, '-1s'],
])('%d ms as Go prints them', (milliseconds, text) => {
  expect(formatGoDuration(milliseconds)).toBe(text);
});

test.each([
  ['100Mi', 100 * 2 ** 20],
  ['1.5G', 1.5e9],
  ['1e3', 1000],
  ['5', 5],
  ['5X', undefined],
  ['', undefined],
])('the quantity %j', (text, number) => {
  expect(parseQuantity(text)).toBe(number);
});

/** What time.ParseDuration of Go 1.26 says. */
test.each([
  ['', 'time: invalid duration ""'],
  ['-', 'time: invalid duration "-"'],
  ['soon', 'time: invalid duration "soon"'],
  ['.s', 'time: invalid duration ".s"'],
  ['--5s', 'time: invalid duration "--5s"'],
  ['5', 'time: missing unit in duration "5"'],
  ['1h5', 'time: missing unit in duration "1h5"'],
  ['1m.', 'time: invalid duration "1m."'],
  ['-1s', undefined],
  ['3d', 'time: unknown unit "d" in duration "3d"'],
  ['1h 5m', 'time: unknown unit "h " in duration "1h 5m"'],
  ['1constructor', 'time: unknown unit "constructor" in duration "1constructor"'],
  ['1e3s', 'time: unknown unit "e" in duration "1e3s"'],
  ['0', undefined],
  ['1h0m', undefined],
])('why %j is no duration', (text, fault) => {
  expect([goDurationFault(text), parseGoDuration(text) === undefined]).toEqual([
    fault,
    fault !== undefined,
  ]);
});

test.each([
  [['1', 't', 'T', 'TRUE', 'true', 'True'], true],
  [['0', 'f', 'F', 'FALSE', 'false', 'False'], false],
  [['', 'yes', 'tRUE', ' true', '2'], undefined],
])('%j as booleans', (texts, value) => {
  expect(texts.map(parseGoBool)).toEqual(texts.map(() => value));
});

test.each([
  ['1.5', 1.5],
  ['-.5e1', -5],
  ['1.', 1],
  ['1e', undefined],
  ['', undefined],
  ['five', undefined],
])('the float %j', (text, number) => {
  expect(parseGoFloat(text)).toBe(number);
});

test("Go's words for a value that it cannot read", () => {
  expect(goSyntaxFault('ParseBool', 'yes')).toBe(
    'strconv.ParseBool: parsing "yes": invalid syntax',
  );
});
