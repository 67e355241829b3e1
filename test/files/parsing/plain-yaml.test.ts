import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseGeneralYaml as parse } from '../../../src/files/parsing/general-yaml.ts';
import { jsonOfPlainYaml, PlainYamlReader } from '../../../src/files/parsing/plain-yaml.ts';
import { randomCases } from '../../support/random-cases.ts';

function readPlain(text: string): unknown {
  const json = jsonOfPlainYaml(text);
  return json === undefined ? undefined : JSON.parse(json);
}

describe('jsonOfPlainYaml reads', () => {
  test.each([
    [
      'an object as kubectl prints it',
      `apiVersion: v1
kind: Pod
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","kind":"Pod","metadata":{"name":"a\\\\b"}}
    note: ""
  labels:
    "helm.sh/chart": web-1.2.3
    'app': web
  managedFields:
  - apiVersion: v1
    fieldsV1:
      f:metadata:
        f:ownerReferences:
          .: {}
          k:{"uid":"u-1"}: {}
  name: web
spec:
  containers:
  - args: ["--port", "80"]
    command:
    - sh
    - -c
    - |-
      set -e

        exec web
    image: example.com:5000/web:1.2
  terminationGracePeriodSeconds: 30
status:
  conditions:
  - lastProbeTime: null
    lastTransitionTime: "2026-01-01T00:00:00Z"
    message: 'containers with unready status: [web]'
    status: "True"
`,
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration':
              '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a\\\\b"}}\n',
            note: '',
          },
          labels: { 'helm.sh/chart': 'web-1.2.3', app: 'web' },
          managedFields: [
            {
              apiVersion: 'v1',
              fieldsV1: {
                'f:metadata': { 'f:ownerReferences': { '.': {}, 'k:{"uid":"u-1"}': {} } },
              },
            },
          ],
          name: 'web',
        },
        spec: {
          containers: [
            {
              args: ['--port', '80'],
              command: ['sh', '-c', 'set -e\n\n  exec web'],
              image: 'example.com:5000/web:1.2',
            },
          ],
          terminationGracePeriodSeconds: 30,
        },
        status: {
          conditions: [
            {
              lastProbeTime: null,
              lastTransitionTime: '2026-01-01T00:00:00Z',
              message: 'containers with unready status: [web]',
              status: 'True',
            },
          ],
        },
      },
    ],
    [
      'an entry of a list that is indented, with comments',
      '# Source: web.yaml\n  - kind: A # first\n    # between\tthem\n    name: a\n',
      [{ kind: 'A', name: 'a' }],
    ],
    [
      'a sequence no further than its key',
      'a:\n- b\n- - c\n  - d\ne:\n',
      { a: ['b', ['c', 'd']], e: null },
    ],
    ['a document behind its marker', '--- # one\na: {}\nb: []\n', { a: {}, b: [] }],
    [
      'values that are no strings',
      'a: yes\nb: 0x1f\nc: 1.50\nd: ~\ne: -1\nf: 010\non: off\n',
      { a: true, b: 31, c: 1.5, d: null, e: -1, f: 8, true: false },
    ],
    [
      'text that goes on',
      "a: one\n  two - x#\nb: 'it''s\n  two  '\nc: \"one  \n    two\"\nd: e\n",
      { a: 'one two - x#', b: "it's two  ", c: 'one two', d: 'e' },
    ],
    [
      'escapes',
      'a: "\\"\\\\\\n\\u00e9"\nb: \'\\n"\'\nc: a"b\\c\n',
      { a: '"\\\né', b: '\\n"', c: 'a"b\\c' },
    ],
    ['words in brackets', 'a: [b, "c, d", yes, 1]\n', { a: ['b', 'c, d', true, 1] }],
    ['the last of equal keys', 'a: 1\nb: 2\na: 3\n', { a: 3, b: 2 }],
    ['a tab in a block of text', 'a: |\n  b\tc\n', { a: 'b\tc\n' }],
    [
      'numbers that JSON writes otherwise',
      'a: 1e20\nb: 12345678901234567890\nc: 0o17\nd: -0\ne: 1_000\nf: .5\ng: 1.2.3\n',
      { a: 1e20, b: 12345678901234567000, c: 15, d: 0, e: 1000, f: 0.5, g: '1.2.3' },
    ],
    [
      'what looks like a word or a number at first',
      'a: none\nb: -x\nc: .\nd: 12ab\ne: tru\nname: n\nyes: 1\n1: f\n.: on\n',
      { a: 'none', b: '-x', c: '.', d: '12ab', e: 'tru', name: false, true: 1, 1: 'f', '.': true },
    ],
    [
      'a block of text with lines of spaces, quotes and backslashes',
      'a: |-\n  "b"\n   \n\n  \\c\n  \nd: |\n  e\n\n# f\n',
      { a: '"b"\n \n\n\\c', d: 'e\n' },
    ],
    [
      'long texts',
      `a: ${'b '.repeat(200)}c\nd: "${'e'.repeat(200)}"\n`,
      {
        a: `${'b '.repeat(200)}c`,
        d: 'e'.repeat(200),
      },
    ],
    ['the last line without its end', 'a: b', { a: 'b' }],
  ])('%s', (_, text, value) => {
    expect(readPlain(text)).toEqual(value);
    expect(parse(text)).toEqual(value);
  });

  test('__proto__ as a key like any other', () => {
    expect(JSON.stringify(readPlain('__proto__:\n  a: 1\nb: 2\n'))).toBe(
      '{"__proto__":{"a":1},"b":2}',
    );
  });
});

describe('jsonOfPlainYaml leaves to the YAML parser', () => {
  test.each([
    '',
    '# only a comment\n',
    'text\n',
    'a: &b c\n',
    'a: *b\n',
    'a: !!int "3"\n',
    '<<: {}\n',
    '? a\n: b\n',
    '~: b\n',
    'a: {b: c}\n',
    'a: >-\n  b\n',
    'a: |+\n  b\n',
    'a: |2\n   b\n',
    'a: |\n\n  b\n',
    'a: |\n  b',
    'a: one\n\n  two\n',
    'a: "one\\\n  two"\n',
    'a: "\\ud800"\n',
    'a: "\\x41"\n',
    'a: b: c\n',
    'a: @b\n',
    'a: "b" c\n',
    'a: "b\n',
    'a:\n\tb: c\n',
    'a: b\n  c: d\n',
    'a:\n    b: c\n  d: e\n',
    'a: 1\n---\nb: 2\n',
    'a: 1\n...\n',
    'a: b\r\n',
    'a: \u0007\n',
    'a: b\u0007c\n',
    '# \u0007\na: b\n',
    'a: [] # \u0007\n',
    'a: "\u007f"\n',
    '"a\u0007": b\n',
    'a: |\n  b\u0007\n',
    'a: \ud800\n',
    "a: 'b\n",
    "a: 'b' c\n",
    'a: "\\u12"\n',
  ])('%j', (text) => {
    expect(jsonOfPlainYaml(text)).toBeUndefined();
  });

  test('a key that is too long, and mappings nested too deeply', () => {
    expect(jsonOfPlainYaml(`${'a'.repeat(1100)}: b\n`)).toBeUndefined();
    const deep = Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('');
    expect(jsonOfPlainYaml(deep)).toBeUndefined();
  });
});

test('a reader reads one document after the other, whatever the last one was', () => {
  const reader = new PlainYamlReader();
  const long = `a: ${'b'.repeat(100_000)}\n`;
  const documents = ['a: 1\n', 'a:\n- - |\n  b: @\n', long, 'b:\n- c\n- d\n', 'a: &b\n', 'a: ü\n'];
  expect(documents.map((text) => reader.read(Buffer.from(text))?.toString())).toEqual([
    '{"a":1}',
    undefined,
    JSON.stringify({ a: 'b'.repeat(100_000) }),
    '{"b":["c","d"]}',
    undefined,
    '{"a":"ü"}',
  ]);
});

test('many short lines have room', () => {
  const lines = Array.from({ length: 5000 }, (_, index) => `${index.toString(36)}:\n`).join('');
  expect(readPlain(lines)).toEqual(parse(lines));
  const entries = '-\n'.repeat(5000);
  expect(readPlain(entries)).toEqual(parse(entries));
  const numbers = '- 1e20\n'.repeat(5000);
  expect(readPlain(numbers)).toEqual(parse(numbers));
  const quotes = `a: x${'"'.repeat(5000)}\n`;
  expect(readPlain(quotes)).toEqual(parse(quotes));
});

test('bytes that are no UTF-8 are replaced, as in all text', () => {
  const text = Buffer.concat([Buffer.from('a: b'), Buffer.from([0xff, 0xc3]), Buffer.from('c\n')]);
  expect(new PlainYamlReader().read(text)?.toString()).toBe(JSON.stringify(parse(String(text))));
});

describe('what jsonOfPlainYaml reads', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      'yes',
      '1',
      '0x1f',
      '~',
      'a: b',
      'x #y',
      '- z',
      'one\ntwo\n',
      '\n',
      ' lead',
      'trail ',
      "it's",
      '"q"',
      '2026-01-01',
      '-0',
      '.5',
      '---',
      '{}',
      '|',
      'a\\b',
    ),
  );
  const words = fc.stringMatching(/^[a-z][a-z./:-]{0,9}$/);
  const keys = fc.oneof({ weight: 20, arbitrary: words }, { weight: 1, arbitrary: texts });
  const values = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(
        words,
        words,
        texts,
        fc.integer(),
        fc.double({ noNaN: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  const printed = fc
    .tuple(values, fc.constantFrom(0, 20, 80), fc.boolean())
    .map(([value, lineWidth, indentSeq]) =>
      stringify(value, { lineWidth, indentSeq, version: '1.1' }),
    );
  const pieces =
    'a b name f:x . k:{"u":"1"} "q" \'s\' yes null ~ 1 -1 1e3 <<: *a &a !!str | |- |+ > # #c : - -- --- ... {} [] ["a"] [a,b] { } " \' \\ "a\\n" "a: b" \'it\'\'s\' é ? % @ ` = , true __proto__'.split(
      ' ',
    );
  const piece = fc.oneof(
    fc.constantFrom(...pieces),
    fc.constantFrom(' ', '  ', ': ', '- ', ' # c', '\t', '\r', '\u2028', '\u{1f600}'),
  );
  const start = fc.constantFrom('', 'a:', 'b: ', 'c: ', '- ', '- a: ', '"d": ', '- - ', '# ');
  const line = fc
    .tuple(fc.constantFrom(0, 0, 0, 2, 2, 1, 4), start, fc.array(piece, { maxLength: 2 }))
    .map(([indent, begin, parts]) => `${' '.repeat(indent)}${begin}${parts.join('')}`);
  const written = fc
    .array(line, { minLength: 1, maxLength: 5 })
    .map((lines) => `${lines.join('\n')}\n`);
  /** A place of the text, how much goes there, and what comes instead. */
  const damage = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat({ max: 3 }),
    fc.oneof(piece, fc.constantFrom('\n', '\n ', '\n  ', '\n# c\n', '')),
  );
  const damaged = fc.tuple(printed, fc.array(damage, { maxLength: 2 })).map(([text, places]) =>
    places.reduce((left, [place, length, instead]) => {
      const at = Math.floor(place * left.length);
      return left.slice(0, at) + instead + left.slice(at + length);
    }, text),
  );

  test.each([
    ['printed and damaged', damaged, 0.1],
    ['put together from pieces', written, 0.02],
  ])('the YAML parser reads a document alike that is %s', (_, documents, leastRead) => {
    let all = 0;
    let read = 0;
    const reader = new PlainYamlReader();
    fc.assert(
      fc.property(documents, (text) => {
        all++;
        const json = jsonOfPlainYaml(text);
        if (text.isWellFormed()) {
          expect(reader.read(Buffer.from(text))?.toString()).toBe(json);
        }
        if (json === undefined) return;
        read++;
        expect(JSON.parse(json)).toEqual(parse(text));
      }),
      { numRuns: randomCases(6000) },
    );
    expect(read / all).toBeGreaterThan(leastRead);
  });
});
