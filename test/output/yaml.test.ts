import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderYaml } from '../../src/output/yaml.ts';

/** Strings that some YAML or other takes for something else. */
const words =
  'on On ON yes no off y n Y N true TRUE false null Null NULL ~ 0x1f 0o17 017 08 0b11 1_000 12 1.5 +1 -0 1e3 .5 -.inf .NaN 1:30 190:20:30 2026-01-01 2026-01-01T00:00:00Z << = - ? !x &x *x %x @x `x # | > [a] {a} a:'
    .split(' ')
    .concat('', ' leading', 'trailing ', '- a', 'a: b', 'a #b', '"', "'", 'two\nlines', 'größe');

describe.each(['1.1', '1.2'] as const)('a reader of YAML %s sees', (version) => {
  test('every string as a string', () => {
    expect(parse(renderYaml({ words }), { version })).toEqual({ words });
  });

  test('every string as a key', () => {
    const labels = Object.fromEntries(words.map((word) => [word, word]));
    expect(parse(renderYaml({ labels }), { version })).toEqual({ labels });
  });

  test('numbers, truth values and nothing as what they are', () => {
    const values = { n: 1, f: 1.5, yes: true, no: false, list: [], map: {}, nothing: null };
    expect(parse(renderYaml(values), { version })).toEqual(values);
  });
});

test('a document is short and has no aliases', () => {
  const object = { kind: 'Pod', name: 'on' };
  expect(
    renderYaml({ a: object, b: [object], unset: undefined, text: 'x '.repeat(80).trim() }),
  ).toBe(
    `a:
  kind: Pod
  name: "on"
b:
  - kind: Pod
    name: "on"
text: ${'x '.repeat(80).trim()}
`,
  );
});

describe.each(['1.1', '1.2'] as const)(
  'characters that no YAML may hold, to a reader of YAML %s',
  (version) => {
    const odd = [
      '\u0080',
      '\u0085',
      '\u009b',
      '\ufeff',
      '\ufffe',
      '\uffff',
      '\u2028',
      '\u202e',
      '\u007f',
      '\u200b',
      '\u{e0041}',
    ];

    test('are escaped, in keys as well', () => {
      const document = {
        names: odd.map((one) => `a${one}b`),
        labels: { 'x\u0090': 'two\n\u0090' },
      };
      const text = renderYaml(document);
      expect(/[^\n\x20-\x7e]/.test(text)).toBe(false);
      expect(parse(text, { version })).toEqual(document);
    });
  },
);

test('no line of a string is a command to the log of a job', () => {
  expect(renderYaml({ name: 'a\n::error::b', text: 'a\nb' })).toBe(
    'name: "a\\n::error::b"\ntext: |-\n  a\n  b\n',
  );
  expect(renderYaml({ name: '::error::a\nb' })).toBe('name: "::error::a\\nb"\n');
});

test('only strings with a control character are escaped', () => {
  expect(renderYaml({ on: 'on', plain: 'a b', odd: 'a\u009b' })).toBe(
    '"on": "on"\nplain: a b\nodd: "a\\u009b"\n',
  );
});
