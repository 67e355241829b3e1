import { describe, expect, test } from 'vitest';
import { parseFeatureGates } from '../../src/settings/feature-gates.ts';
import { readFlagValue } from '../../src/settings/flag-value.ts';

test.each([
  ['bool', 'T', true],
  ['bool', '0', false],
  ['int32', '-1', -1],
  ['int32', '0x10', 16],
  ['int32', '010', 8],
  ['int32', '0o17', 15],
  ['int32', '0b101', 5],
  ['int32', '-0x1F', -31],
  ['int32', '+5', 5],
  ['int32', '0', 0],
  ['int32', '-2147483648', -2147483648],
  ['int', '2147483648', 2147483648],
  ['int', '-2147483649', -2147483649],
  ['map', 'a<b', 'a<b'],
  ['int32', '1_000', 1000],
  ['int32', '2147483647', 2147483647],
  ['float32', '.5', 0.5],
  ['duration', '1h30m', '1h30m'],
  ['strings', '*,-ttl', ['*', '-ttl']],
  ['strings', '', []],
] as const)('%s %s', (type, text, value) => {
  expect(readFlagValue('x', type, text)).toEqual({ value });
});

describe('refused', () => {
  const refused = (text: string, why: string) => ({
    fault: `invalid argument ${JSON.stringify(text)} for "--x" flag: ${why}`,
  });
  test.each([
    ['bool', 'yes', 'strconv.ParseBool: parsing "yes": invalid syntax'],
    ['int32', '', 'strconv.ParseInt: parsing "": invalid syntax'],
    ...['08', '0a1', '0b2', '0o8', '0b', '0x', '1x', '--1', ' 1'].map(
      (text) =>
        [
          'int32',
          text,
          `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`,
        ] as const,
    ),
    ['int32', '-2147483649', 'strconv.ParseInt: parsing "-2147483649": value out of range'],
    ['int32', '1.5', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ['int32', '2147483648', 'strconv.ParseInt: parsing "2147483648": value out of range'],
    ['float32', 'x', 'strconv.ParseFloat: parsing "x": invalid syntax'],
    ['duration', '5', 'time: missing unit in duration "5"'],
    ['duration', '5d', 'time: unknown unit "d" in duration "5d"'],
    ['duration', 'soon', 'time: invalid duration "soon"'],
  ] as const)('%s %s', (type, text, why) => {
    expect(readFlagValue('x', type, text)).toEqual(refused(text, why));
  });
});

test('feature gates', () => {
  expect(parseFeatureGates(' A = true ,kube:B=0, C=False,,D,E=maybe')).toEqual({
    gates: new Map([
      ['A', true],
      ['B', false],
      ['C', false],
    ]),
    problems: [
      'missing bool value for D',
      'invalid value of E=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
  });
});
