import { expect, test } from 'vitest';
import {
  inBlocks,
  jsonParts,
  type LongList,
  piecesOf,
  yamlParts,
} from '../../src/output/document-parts.ts';
import { renderYaml } from '../../src/output/yaml.ts';
import { jsonText } from '../../src/syntax/json-text.ts';

/** A list that is made while it is written. */
function made<T>(elements: readonly T[]): LongList<T> {
  return {
    length: elements.length,
    *[Symbol.iterator]() {
      yield* elements;
    },
  };
}

const objects = [
  { object: { kind: 'Secret', name: 'a' }, certainty: 'seen', at: undefined },
  { object: { kind: 'Pod', name: 'on' }, certainty: 'might be', labels: {}, owners: [] },
];
const items = [
  { began: { because: 'deleted\nby "alice"\u202e', evidence: [] }, objects, collections: ['pods'] },
  { began: { because: '::error::', evidence: [{ at: 1, of: null }] }, objects: [], more: [[1]] },
];
const head = { kind: 'Deletions', coverage: { complete: true, problems: ['x\n\ny'] }, 'a: b': {} };

test.each([
  ['items', items],
  ['no items', []],
])('a document with %s that is written part by part is the document as a whole', (_, list) => {
  const document = { ...head, items: made(list) };
  const whole = { ...head, items: list };
  expect([...jsonParts(document)].join('')).toBe(jsonText(whole, 2));
  expect([...yamlParts(document, renderYaml)].join('')).toBe(renderYaml(whole));
});

test('an element of a long list is made when the one in front of it was written', () => {
  const begun: number[] = [];
  const list = {
    length: 2,
    *[Symbol.iterator]() {
      for (const number of [1, 2]) {
        begun.push(number);
        yield { number };
      }
    },
  };
  const parts = jsonParts({ items: list });
  for (const part of parts) if (part.includes('1')) break;
  expect(begun).toEqual([1]);
});

test('short texts become blocks of 64 KiB', () => {
  const lengths = [...inBlocks(Array.from({ length: 100 }, () => 'x'.repeat(1000)))].map(
    (block) => block.length,
  );
  expect(lengths).toEqual([66_000, 34_000]);
});

test('a list in pieces has an empty one if it is empty', () => {
  expect([...piecesOf([1, 2, 3], 2)]).toEqual([[1, 2], [3]]);
  expect([...piecesOf([1, 2], 2)]).toEqual([[1, 2]]);
  expect([...piecesOf([], 2)]).toEqual([[]]);
});
