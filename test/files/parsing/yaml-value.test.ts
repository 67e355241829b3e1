import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { yamlValue as parse } from '../../../src/files/parsing/yaml-value.ts';
import { pairsOf, rowsOf } from '../../support/rows.ts';

/** Scalars and what sigs.k8s.io/yaml v1.6.0 makes of them, taken down from its YAMLToJSON. */
const scalars = pairsOf(`
y true   Y true   yes true   Yes true   YES true   yEs "yEs"   n false   N false   no false
on true   On true   ON true   oN "oN"   off false   OFF false   true true   True true   TRUE true
tRue "tRue"   false false   False false   f "f"   t "t"   ~ null   null null   Null null
NULL null   nUll "nUll"   nil "nil"   0 0   1 1   +1 1   -1 -1   00 0   01 1   010 8   -010 -8
08 8   0888 888   0777 511   0o10 8   0O7 7   0x1f 31   0X1F 31   -0x10 -16   0xg "0xg"   0b101 5
-0b11 -3   0b2 "0b2"   1_000 1000   1__0 10   1. 1   1.5 1.5   -1.5 -1.5   +.5 0.5   .5 0.5
.5e3 500   1e3 1000   1E+3 1000   1e "1e"   1.2.3 "1.2.3"   1.10 1.1   . "."   .. ".."   .a ".a"
-- "--"   -a "-a"   + "+"   1a "1a"   1e400 "1e400"   12:30 "12:30"   12:30:45 "12:30:45"
190:20:30.15 "190:20:30.15"   2001-12-14 "2001-12-14"   web "web"   a#b "a#b"   = "="   << "<<"
2024-01-01T00:00:00Z "2024-01-01T00:00:00Z"
2001-12-14t21:59:43.10-05:00 "2001-12-14t21:59:43.10-05:00"   Infinity "Infinity"   NaN "NaN"
`);

/** Documents made by chance, and what sigs.k8s.io/yaml v1.6.0 makes of them: most of the first 1,000 are no YAML 1.2. */
const recorded: {
  readonly read: readonly [string, unknown][];
  readonly refused: readonly string[];
} = JSON.parse(readFileSync(new URL('../../fixtures/yaml-as-go.json', import.meta.url), 'utf8'));

describe('yamlValue', () => {
  test('reads 1,600 made documents as kubectl does', () => {
    expect(recorded.read.map(([text]) => [text, valueOrFailure(text)])).toEqual(recorded.read);
  });

  test('refuses 400 made documents that kubectl refuses', () => {
    expect(recorded.refused.filter((text) => failureOf(text).name !== 'ParseFailure')).toEqual([]);
  });

  test.each(scalars)('reads the unquoted %s as %s', (text = '', value = '') => {
    expect(JSON.stringify(parse(`- ${text}\n- {k: ${text}}\n`))).toBe(`[${value},{"k":${value}}]`);
    expect(parse(`- "${text}"\n- '${text}'\n- !!str ${text}\n- |-\n  ${text}\n`)).toEqual([
      text,
      text,
      text,
      text,
    ]);
  });

  const values = rowsOf(String.raw`
    keys become strings                   | on: 1\n010: 2\n1.5: 3\n~x: 4\n                 | {"true": 1, "8": 2, "1.5": 3, "~x": 4}
    the last of equal keys counts         | a: 1\nb: 2\na: 3\n                             | {"a": 3, "b": 2}
    a merged key counts like any other    | a: &a {x: 1, z: 2}\nb: {x: 3, <<: *a, z: 4}\n  | {"a": {"x": 1, "z": 2}, "b": {"x": 1, "z": 4}}
    of several merged mappings the first  | {a: &a {x: 1}, b: &b {x: 2, z: 2}, c: {<<: [*a, *b]}} | {"a": {"x": 1}, "b": {"x": 2, "z": 2}, "c": {"x": 1, "z": 2}}
    a quoted << is a key                  | "<<": {a: 1}\n                                 | {"<<": {"a": 1}}
    an anchor may be set again            | a: &a 1\nb: *a\nc: &a 2\nd: *a\n               | {"a": 1, "b": 1, "c": 2, "d": 2}
    tags of no meaning are passed over    | {a: !Ref b, b: !!timestamp 2001-12-14, c: !!binary aGk=} | {"a": "b", "b": "2001-12-14", "c": "aGk="}
    explicit tags hold                    | {a: !!int "3", b: !!float 3, c: !!bool "yes", d: !!null ""} | {"a": 3, "b": 3, "c": true, "d": null}
    nothing                               | # only a comment\n                             | null
    brackets need no indentation          | a:\n  b: [\n]\n  c: {x: [1,\n2\n], # note\n}\n | {"a": {"b": [], "c": {"x": [1, 2]}}}
    a tab behind a colon is a blank       | a:\t[]\nb:\t"x"\t# note\n                      | {"a": [], "b": "x"}
    a comment may follow a quote at once  | a: "b"#c\nd: 'e'#f\n                           | {"a": "b", "d": "e"}
    a double quote goes on at the margin  | a:\n  b: "x\ny \\\n\n- z\\\\\n\n\n# k: v"\n    | {"a": {"b": "x y \n- z\\\n\n# k: v"}}
    a single quote goes on at the margin  | a:\n  c: 'it''s\n- x'\n                        | {"a": {"c": "it's - x"}}
    a colon in front of a bracket is text | [a:, {b:c:, d: e:}]\n                          | ["a:", {"b:c:": null, "d": "e:"}]
    an aliased value is a copy of its own | a: &a {x: [1]}\nb: *a\n                        | {"a": {"x": [1]}, "b": {"x": [1]}}
  `);
  const signs: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
  test.each(values)('%s', (_, text = '', value = '') => {
    const written = text.replace(/\\([nt\\])/g, (_, sign) => signs[sign] ?? '\\');
    expect(parse(written)).toEqual(JSON.parse(value));
  });

  test.each([
    ['without final line break', 'a: |\n  x\n  y', { a: 'x\ny' }],
    [
      'beside rewritten scalars',
      'a:\t[]\nb:\n- c: |+ # note\n    d:\t[ # "e"\n\n    f\n\ng: >\n h\n i\n# end\n',
      { a: [], b: [{ c: 'd:\t[ # "e"\n\nf\n\n' }], g: 'h i\n' },
    ],
  ])('a block %s', (_, text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test('reads whatever value the yaml package writes, in each of its styles', () => {
    const styles = fc.record({
      version: fc.constant('1.1' as const),
      defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_FOLDED'),
      collectionStyle: fc.constantFrom('any', 'flow'),
      indent: fc.integer({ min: 1, max: 4 }),
      // Folding, it may cut an escape in two.
      lineWidth: fc.constant(0),
    });
    // JSON has no negative zero.
    const values = fc.jsonValue({ noUnicodeString: false }).map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(values, styles, (json, style) => {
        const value = JSON.parse(json);
        const text = stringify(value, style as object);
        // The package writes these as they are, though no YAML may hold them (c-printable), and kubectl refuses them.
        if (/[\x7f-\x84\x86-\x9f\ufffe\uffff]/.test(text))
          expect(() => parse(text)).toThrow('control character');
        else expect(parse(text)).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  test.each([...'\x01\x7f\x84\ufffe\uffff'])(
    'refuses %j wherever it stands, as kubectl does',
    (sign) => {
      for (const text of [`a: ${sign}b`, `a: "${sign}"`, `a: '${sign}'`, `# ${sign}\na: b`]) {
        expect(() => parse(text)).toThrow('control character');
      }
    },
  );

  test('takes __proto__ for a key like any other', () => {
    expect(JSON.stringify(parse('__proto__: {a: 1}\nb: 2\n'))).toBe('{"__proto__":{"a":1},"b":2}');
  });

  const invalid: readonly string[] = [
    'a: [\n',
    'a: 1\nb: "x\n',
    'a: 1\n\tb: 1\n',
    'a: "\\q"\n',
    'a: @b\n',
    'a: b: c\n',
    'a: *b\n',
    'a: &a [*a]\n',
    '<<: 1\n',
    '? [a]\n: b\n',
    '~: b\n',
    '"a" "b"\n',
    '? '.repeat(100),
    '['.repeat(1000),
    'a: 1\n---\nb: 2\n',
  ];
  test('says what is wrong with invalid YAML, and behind how many lines', () => {
    const failures = invalid.map((text) => {
      const { name, message, lines } = failureOf(text);
      return `${JSON.stringify(text.slice(0, 20))}, ${name} behind ${lines}: ${message}`;
    });
    expect(failures.join('\n')).toMatchInlineSnapshot(`
      ""a: [\\n", ParseFailure behind 0: invalid YAML: a missing quote, bracket, comma, colon or space
      "a: 1\\nb: \\"x\\n", ParseFailure behind 1: invalid YAML: a missing quote, bracket, comma, colon or space
      "a: 1\\n\\tb: 1\\n", ParseFailure behind 1: invalid YAML: a tab in the indentation
      "a: \\"\\\\q\\"\\n", ParseFailure behind 0: invalid YAML: a bad escape in a double-quoted string
      "a: @b\\n", ParseFailure behind 0: invalid YAML: wrong indentation, or a sign that is not allowed there
      "a: b: c\\n", ParseFailure behind 0: invalid YAML: wrong indentation, or a sign that is not allowed there
      "a: *b\\n", ParseFailure behind 0: invalid YAML: an alias without its anchor
      "a: &a [*a]\\n", ParseFailure behind 0: invalid YAML: an alias without its anchor
      "<<: 1\\n", ParseFailure behind 0: invalid YAML: a merge key without a mapping
      "? [a]\\n: b\\n", ParseFailure behind 0: invalid YAML: a key that is not a string
      "~: b\\n", ParseFailure behind 0: invalid YAML: a key that is not a string
      "\\"a\\" \\"b\\"\\n", ParseFailure behind 0: invalid YAML
      "? ? ? ? ? ? ? ? ? ? ", ParseFailure behind 0: invalid YAML: a key that is not a string
      "[[[[[[[[[[[[[[[[[[[[", ParseFailure behind 0: invalid YAML: it is nested too deeply
      "a: 1\\n---\\nb: 2\\n", ParseFailure behind 0: invalid YAML: a second document"
    `);
  });

  test.each([
    ['aliases', (i: number) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]\n`],
    [
      'merge keys',
      (i: number) => `a${i + 1}: &a${i + 1}\n  <<: [*a${i}, *a${i}, *a${i}]\n  k${i}: 1\n`,
    ],
  ])('refuses %s that multiply, soon', (_, line) => {
    const text = `a0: &a0 {x: y}\n${Array.from({ length: 60 }, (_, i) => line(i)).join('')}`;
    expect(failureOf(text)).toEqual({
      name: 'ParseFailure',
      message: expect.stringContaining('aliases'),
      lines: 0,
    });
  });
});

interface Failure {
  readonly name?: string;
  readonly message?: string;
  readonly lines?: number;
}

function failureOf(text: string): Failure {
  try {
    parse(text);
  } catch (error) {
    return { ...(error as object), message: (error as Error).message };
  }
  return {};
}

function valueOrFailure(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    return (error as Error).message;
  }
}
