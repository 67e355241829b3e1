import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parsePlainYaml } from '../../../src/sources/files/block-yaml.ts';
import { loadYaml } from '../../../src/sources/files/parse-yaml.ts';

const parseFully = await loadYaml();

function full(text: string): { value: unknown } | string {
  try {
    return { value: parseFully(text) };
  } catch (error) {
    return String(error);
  }
}

const word = fc.constantFrom(
  ...[
    'web',
    'on',
    'y',
    '1',
    '010',
    '1.5',
    'null',
    '~',
    '',
    ' x',
    'x ',
    'a: b',
    'a #b',
    '#a',
    '- a',
  ],
  ...[
    '-a',
    '-',
    '?',
    '? a',
    ':',
    '::',
    'a:',
    '{}',
    '[]',
    '{',
    '[a',
    'a]',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    '|-',
  ],
  ...[
    "'",
    "it's",
    '"',
    'a"b',
    '\\',
    'a\\nb',
    '%a',
    '@a',
    '`a',
    '<<',
    '=',
    '2026-01-01T00:00:00Z',
    '12:30',
  ],
  ...[
    'k:{"uid":"u"}',
    'f:metadata',
    '.',
    'a\nb',
    'a\n\n b\n',
    '\n',
    ' \n',
    'é',
    '\u{1f600}',
    '\t',
    'a\tb',
    '---',
    '...',
  ],
  ...[
    '__proto__',
    'x'.repeat(90),
    'long words '.repeat(12),
    'a,b',
    'a, b',
    '\u0000',
    '\u0085',
    '1e400',
    '.inf',
  ],
);
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    word,
    fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(word, fc.constantFrom('name', 'kind')), tie('value'), { maxKeys: 3 }),
  ),
}));
const anyOptions = fc.record({
  version: fc.constantFrom('1.1' as const, '1.2' as const),
  indentSeq: fc.boolean(),
  lineWidth: fc.constantFrom(0, 20, 80),
  indent: fc.constantFrom(1, 2, 4),
  aliasDuplicateObjects: fc.constant(false),
  defaultStringType: fc.constantFrom(
    'PLAIN' as const,
    'QUOTE_DOUBLE' as const,
    'QUOTE_SINGLE' as const,
  ),
});
const anyEdit = fc.record({
  at: fc.nat({ max: 300 }),
  remove: fc.nat({ max: 3 }),
  insert: fc.constantFrom(
    '',
    ' ',
    '  ',
    '\n',
    ':',
    ': ',
    '- ',
    '-',
    '#',
    ' #',
    '"',
    "'",
    '|\n',
    '&a ',
    '*a',
    '!t ',
    '{',
    ']',
    '\t',
    '\n\n',
    '\n# x\n',
    'a',
    '? ',
    ',',
    '\r',
  ),
});

describe('parsePlainYaml', () => {
  it('reads what it reads as the full parser does, and leaves the rest to it', () => {
    let plain = 0;
    fc.assert(
      fc.property(
        anyValue,
        anyOptions,
        fc.array(anyEdit, { maxLength: 2 }),
        (value, options, edits) => {
          let text = stringify({ name: value, of: [value, 'web'] }, options);
          for (const { at, remove, insert } of edits) {
            const place = at % (text.length + 1);
            text = text.slice(0, place) + insert + text.slice(place + remove);
          }
          const parsed = parsePlainYaml(text);
          if (!parsed) return;
          plain++;
          expect({ text, parsed }).toEqual({ text, parsed: full(text) });
        },
      ),
      { numRuns: 2000 },
    );
    // Else the comparison would say nothing.
    expect(plain).toBeGreaterThan(500);
  });
});
