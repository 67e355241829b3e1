import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { slicesOf } from '../../src/output/document-slices.ts';
import { jsonParts } from '../../src/output/json-parts.ts';
import { inChunks, stacked, wholeText } from '../../src/output/text.ts';
import { renderYaml, yamlParts } from '../../src/output/yaml.ts';

const items = Array.from({ length: 450 }, (_, index) => ({
  object: { name: `web-${index}` },
  because: index % 7 === 0 ? 'a\nb: "c"\n' : 'it - is: so',
  references: index % 2 === 0 ? [] : [{ name: 'x' }, { name: null }],
}));
const long = { kind: 'Orphans', coverage: { complete: true }, items, unknown: [], last: [1, 2] };

const anyDocument = fc.dictionary(
  fc.string().filter((key) => key !== '__proto__'),
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constant(undefined),
    fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 195, maxLength: 205, size: 'max' }),
  ),
  { maxKeys: 4 },
);

describe('a document with long lists', () => {
  test('is written as one without, in JSON', () => {
    expect(wholeText(jsonParts(long))).toBe(`${JSON.stringify(long, undefined, 2)}\n`);
    fc.assert(
      fc.property(anyDocument, (document) => {
        expect(JSON.parse(wholeText(jsonParts(document)))).toEqual(
          JSON.parse(JSON.stringify(document)),
        );
      }),
      { numRuns: 50 },
    );
  });

  test('is written as one without, in YAML', () => {
    expect(wholeText(yamlParts(long))).toBe(renderYaml(long));
  });

  test('comes in slices that are short', () => {
    const slices = [...slicesOf(long)];
    expect(slices.map(({ field, value }) => [field, Array.isArray(value) && value.length])).toEqual(
      [
        ['kind', false],
        ['coverage', false],
        ['items', 200],
        ['items', 200],
        ['items', 50],
        ['unknown', 0],
        ['last', 2],
      ],
    );
  });

  test('of nothing is an empty object', () => {
    expect(wholeText(jsonParts({ unset: undefined }))).toBe('{}\n');
    expect(wholeText(yamlParts({ unset: undefined }))).toBe('{}\n');
  });
});

test('tables stand below each other, those without rows are left out', () => {
  const rows = (...texts: string[]) => texts;
  expect(wholeText(stacked([rows(), 'a\n', rows('b\n', 'c\n'), '', rows('d\n')]))).toBe(
    'a\n\nb\nc\n\nd\n',
  );
});

test('a text is written in chunks, and no further than somebody asks for it', () => {
  let made = 0;
  function* rows() {
    for (; made < 10; made++) yield `${made}\n`;
  }
  const chunks = inChunks(rows(), 6);
  expect(chunks.next().value).toBe('0\n1\n2\n');
  expect(made).toBe(2);
  expect([...chunks]).toEqual(['3\n4\n5\n', '6\n7\n8\n', '9\n']);
});
