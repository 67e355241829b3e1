import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentReader } from '../../../src/files/parsing/document-reader.ts';
import type { InputPart } from '../../../src/files/parsing/input-part.ts';
import { SavedSnapshotReader } from '../../../src/files/saved-snapshot-reader.ts';

function piecesOf(chunks: readonly Buffer[], cutOff = false): InputPart[] {
  const pieces: InputPart[] = [];
  const reader = new DocumentReader('x', (piece) => pieces.push(piece), SavedSnapshotReader);
  for (const chunk of chunks) reader.write(chunk);
  reader.end(cutOff);
  return pieces;
}

const bytewise = (text: Buffer): Buffer[] => [...text].map((byte) => Buffer.from([byte]));

/** Parts that inputs are made of, sound and broken. */
const parts = [
  '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"é\\"[{\\\\"}}',
  '{"kind":"List","items":[{"a":1}, {"b":[{}]},\n3 ,"x]",null,[1]],"z":[{"q":1}]}',
  '{"apiVersion":"kubectl-gc/v1","kind":"Simulation","objects":[\n{"a":1}\n]}',
  '{"apiVersion":"kubectl-gc/v3","kind":"Snapshot",\n"objects":[\n{"a":1},\n{"b":2}\n],"crc32":"00000000"}\n',
  '{"kind":"Template","objects":[{"a":1}]}',
  '[1, {"a":[2]},\n"x"]',
  '{"a": {"b": [}',
  '{"a": "b\n',
  '{a: {b: c}, "items": []}',
  '{}',
  '[]',
  '\n',
  '\r\n',
  '  ',
  '---\n',
  '--- # note\n',
  '--- {a: 1}\n',
  '...\n',
  '%YAML 1.1\n',
  '# comment\n',
  'apiVersion: v1\nkind: Pod\nmetadata:\n  name: "web"\n',
  'apiVersion: v1\nitems:\n- a: 1\n  b: |\n    - c\n\n  d: x\n- \n-\n  e: 2\nkind: List\n',
  'kind: List\nitems:   # these\n\n  # first\n  - a: 1\n    b:\n    - c\n  - d\n',
  'items:\nkind: List\n',
  'items:\n  a: 1\nitems:\n- x: &x 1\n- y: *x\n',
  'kind: Template\nobjects:\n- a: 1\n',
  '  indented: yes\n',
  '{{- if .Values.x }}\n',
  '==== START logs for container a of pod b/c ====\n',
  'noise {"a":1}\n==== END logs for container a of pod b/c ====\n',
  '\u0000',
];

describe('DocumentReader', () => {
  test('cuts the same pieces from chunks of any size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...parts), { maxLength: 8 }),
        fc.array(fc.nat({ max: 400 }), { maxLength: 6 }),
        fc.boolean(),
        (list, cuts, cutOff) => {
          const text = Buffer.from(list.join(''));
          const whole = piecesOf([text], cutOff);
          expect(piecesOf(bytewise(text), cutOff)).toEqual(whole);
          const edges = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b)];
          const chunks = edges.map((edge, i) => text.subarray(edge, edges[i + 1] ?? text.length));
          expect(piecesOf(chunks, cutOff)).toEqual(whole);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('loses no JSON value and no line', () => {
    const list = fc.array(fc.tuple(fc.jsonValue(), fc.constantFrom('', ' ', '\n', '\n\n')), {
      minLength: 1,
    });
    fc.assert(
      fc.property(list, fc.constantFrom(undefined, 1), (values, indent) => {
        const boxed = values.map(([value, gap]) => ({
          text: JSON.stringify({ value }, null, indent),
          gap,
        }));
        const text = boxed.map(({ text, gap }) => text + gap).join('');
        let offset = 0;
        const expected = boxed.map(({ text: own, gap }) => {
          const line = text.slice(0, offset).split('\n').length;
          offset += own.length + gap.length;
          return { kind: 'document', syntax: 'json', text: own, line };
        });
        expect(piecesOf([Buffer.from(text)])).toEqual(expected);
        const items = `{"items":[${boxed.map(({ text: own }) => own).join(',')}]}`;
        expect(
          piecesOf(bytewise(Buffer.from(items))).flatMap((piece) =>
            piece.kind === 'element' ? [piece.text] : [],
          ),
        ).toEqual(boxed.map(({ text: own }) => own));
      }),
    );
  });

  test('hands a list out element by element while it is read', () => {
    const element = `{"metadata":{"annotations":{"x":"${'y'.repeat(2000)}"}}}`;
    const count = 10_000;
    let held = 0;
    let longest = 0;
    const reader = new DocumentReader('x', (piece) => {
      if (piece.kind !== 'element') return;
      longest = Math.max(longest, held);
      held = 0;
    });
    const write = (text: string): void => {
      held += text.length;
      reader.write(Buffer.from(text));
    };
    write('{"apiVersion":"v1","items":[');
    for (let i = 0; i < count; i++) {
      const text = `${element},`;
      for (let at = 0; at < text.length; at += 100) write(text.slice(at, at + 100));
    }
    expect(longest).toBeLessThan(2 * element.length);
  });

  test('hands a long YAML list out element by element while it is read', () => {
    const element = `- metadata:\n    annotations:\n      x: ${'y'.repeat(2000)}\n`;
    const pieces: string[] = [];
    const reader = new DocumentReader('x', (piece) => pieces.push(piece.kind));
    reader.write(Buffer.from('apiVersion: v1\nitems:\n'));
    for (let i = 0; i < 10_000; i++) reader.write(Buffer.from(element));
    // All but the last, whose end nobody has seen.
    expect(pieces.length).toBe(1 + 9999);
    reader.write(Buffer.from('kind: List\n'));
    reader.end(false);
    expect([pieces[0], pieces[1], pieces.length, pieces.at(-1)]).toEqual([
      'list-start',
      'element',
      10_002,
      'list-end',
    ]);
  });

  test.each([
    ['an element', '{"items":[{"a":"', '"},{"b":1}]}', ['broken', 'element', 'list-end']],
    ['an object', '{"a":"', '"}{"b":1}', ['broken', 'document']],
    ['a YAML document', 'a: 1\nb: |\n  ', '\n---\nb: 1\n', ['broken', 'document']],
    [
      'a YAML element',
      'items:\n- a: 1\n- b: |\n    ',
      '\n- c: 1\n',
      ['element', 'broken', 'element', 'list-end'],
    ],
  ])('skips an oversized %s', (_, before, after, expected) => {
    const pieces: string[] = [];
    const reader = new DocumentReader('x', (piece) => pieces.push(piece.kind));
    reader.write(Buffer.from(before));
    const filler = Buffer.from(
      before.includes('|') ? `${'x'.repeat(1023)}\n    ` : 'x'.repeat(1028),
    );
    const many = Buffer.concat(Array.from({ length: 1024 }, () => filler));
    for (let i = 0; i < 33; i++) reader.write(many);
    reader.write(Buffer.from(after));
    reader.end(false);
    expect(pieces.filter((kind) => kind !== 'list-start')).toEqual(expected);
  });

  test('refuses a line without end', () => {
    const reader = new DocumentReader('x', () => undefined);
    const noise = Buffer.alloc(8 * 1024 * 1024, 'x');
    expect(() => {
      for (let i = 0; i < 6; i++) reader.write(noise);
    }).toThrow('line 1 does not end');
  });
});
