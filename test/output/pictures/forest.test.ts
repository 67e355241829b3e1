import { describe, expect, test } from 'vitest';
import type { PageObject, PageReference } from '../../../src/output/pages/page-data.ts';
import {
  type Folding,
  firstFolding,
  foldedForest,
  unfolded as none,
  type PictureItem,
  revealed,
  wideOpen,
  withKindFolded,
} from '../../../src/output/pictures/fold-forest.ts';
import { forestOf } from '../../../src/output/pictures/forest.ts';
import { boxHeight, boxWidth, placed } from '../../../src/output/pictures/place-items.ts';

const object = (id: string, kind = 'ConfigMap'): PageObject => ({
  ...{ apiVersion: 'v1', kind, namespace: 'shop', name: id, uid: id, id },
  state: { mark: 'plain', words: 'is there' },
  facts: [],
});
const owns = (owner: string, dependent: string, controller = false): PageReference => ({
  ...{ owner, dependent, class: 'solid', because: '' },
  ...(controller && { controller }),
});
const shape = (items: readonly PictureItem[]): unknown =>
  items.map(({ key, group, children }) => {
    const name = group
      ? `${group.members.length} ${group.kind}${group.isRest ? ' more' : ''}`
      : key;
    return children.length > 0 ? [name, shape(children)] : name;
  });

describe('a forest', () => {
  test('has each object once: below its controller, or else the first owner', () => {
    const objects = ['a', 'b', 'c', 'd'].map((id) => object(id));
    const references = [owns('a', 'c'), owns('b', 'c', true), owns('a', 'd'), owns('b', 'd')];
    const forest = forestOf({ objects, references });
    expect(shape(foldedForest(forest, none))).toEqual([
      ['a', ['d']],
      ['b', ['c']],
    ]);
    expect(forest.across).toEqual([owns('a', 'c'), owns('b', 'd')]);
  });

  test('cuts a ring at its first object, and an object that owns itself is a root', () => {
    const objects = ['a', 'b', 'c', 'd'].map((id) => object(id));
    const references = [owns('a', 'b'), owns('b', 'c'), owns('c', 'a'), owns('d', 'd')];
    const forest = forestOf({ objects, references });
    expect(shape(foldedForest(forest, none))).toEqual([['a', [['b', ['c']]]], 'd']);
    expect(forest.across).toEqual([owns('c', 'a')]);
  });

  test('takes a chain of 20,000 objects, and references to objects that are not there', () => {
    const objects = Array.from({ length: 20_000 }, (_, index) => object(`o${index}`));
    const references = objects.slice(1).map(({ id }, index) => owns(`o${index}`, id));
    const forest = forestOf({ objects, references: [...references, owns('gone', 'o5')] });
    expect([forest.roots.length, forest.across.length]).toEqual([1, 0]);
    expect(foldedForest(forest, firstFolding(forest)).length).toBe(1);
  });
});

describe('folding', () => {
  const pods = Array.from({ length: 12 }, (_, index) => object(`pod-${index}`, 'Pod'));
  const data = {
    objects: [object('root'), object('one', 'Secret'), object('two', 'Secret'), ...pods],
    references: [...pods, object('one'), object('two')].map(({ id }) => owns('root', id)),
  };
  const forest = forestOf(data);
  const boxes = (folding: Folding) => shape(foldedForest(forest, folding));
  const names = pods.map(({ id }) => id);

  test('ten or more of one kind below one owner are one box, which opens in parts', () => {
    expect(boxes(none)).toEqual([['root', ['one', 'two', '12 Pod']]]);
    const opened = new Map([['root v1 Pod', 2]]);
    const open = ['one', 'two', 'pod-0', 'pod-1', '10 Pod more'];
    expect(boxes({ ...none, opened })).toEqual([['root', open]]);
  });

  test('every object has a box if everything is expanded', () => {
    expect(boxes(wideOpen(forest))).toEqual([['root', ['one', 'two', ...names]]]);
  });

  test('any kind can be folded, and what an object owns', () => {
    const kinds = new Set(['Secret']);
    expect(boxes({ ...none, kinds })).toEqual([['root', ['2 Secret', '12 Pod']]]);
    const [root] = foldedForest(forest, { ...none, closed: new Set(['root']) });
    expect([root?.children, root?.hidden.length]).toEqual([[], 14]);
  });

  test('a kind that is folded again is folded whole, and other groups stay open', () => {
    const folded = withKindFolded(none, 'Secret', true);
    const key = foldedForest(forest, folded)[0]?.children[0]?.key ?? '';
    const opened = new Map([...folded.opened, [key, 50], ['root v1 Pod', 50]]);
    const open = { ...folded, opened };
    expect(boxes(open)).toEqual([['root', ['one', 'two', ...names]]]);
    const unfolded = withKindFolded(open, 'Secret', false);
    expect(boxes(unfolded)).toEqual([['root', ['one', 'two', ...names]]]);
    expect(boxes(withKindFolded(unfolded, 'Secret', true))).toEqual([
      ['root', ['2 Secret', ...names]],
    ]);
  });

  test('what is searched for is opened, and nothing else', () => {
    const folded = { ...none, closed: new Set(['root']), kinds: new Set(['Secret']) };
    const found = boxes(revealed(forest, folded, 'pod-11'));
    expect(found).toEqual([['root', ['2 Secret', ...names]]]);
    expect(revealed(forest, none, 'one')).toEqual(none);
  });

  test('a large forest begins with its first levels', () => {
    const levels = Array.from({ length: 9 }, (_, a) => `a${a}`).flatMap((a) => [
      owns('root', a),
      ...Array.from({ length: 9 }, (_, b) => `${a}b${b}`).flatMap((b) => [
        owns(a, b),
        ...Array.from({ length: 9 }, (_, c) => owns(b, `${b}c${c}`)),
      ]),
    ]);
    const objects = [object('root'), ...levels.map(({ dependent }) => object(dependent))];
    const large = forestOf({ objects, references: levels });
    const shown = foldedForest(large, firstFolding(large));
    const count = (items: readonly PictureItem[]): number =>
      items.reduce((sum, { children }) => sum + 1 + count(children), 0);
    expect([objects.length, count(shown)]).toEqual([820, 91]);
  });
});

test('owners stand at the left of their dependents, and no box lies on another', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const references = [
    owns('a', 'b'),
    owns('a', 'c'),
    owns('c', 'd'),
    owns('e', 'f'),
    owns('e', 'd'),
  ];
  const forest = forestOf({ objects: ids.map((id) => object(id)), references });
  const { items, lines, width, height } = placed(foldedForest(forest, none), forest);
  const place = new Map(items.map(({ item, x, y }) => [item.key, { x, y }]));
  expect(items.map(({ item, depth, x }) => [item.key, depth, x])).toEqual([
    ['a', 0, 0],
    ['e', 0, 0],
    ['b', 1, 328],
    ['c', 1, 328],
    ['f', 1, 328],
    ['d', 2, 656],
  ]);
  for (const [one, { x, y }] of place) {
    expect([x >= 0, y >= 0, x + boxWidth <= width, y + boxHeight <= height]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    for (const [other, at] of place) {
      const isApart = one === other || x !== at.x || Math.abs(y - at.y) >= boxHeight;
      expect([one, other, isApart]).toEqual([one, other, true]);
    }
  }
  expect(
    lines.map(({ reference: { owner, dependent }, isAcross }) => [owner, dependent, isAcross]),
  ).toEqual([
    ['a', 'b', false],
    ['a', 'c', false],
    ['e', 'f', false],
    ['c', 'd', false],
    ['e', 'd', true],
  ]);
});

test('an empty picture has no size', () => {
  const forest = forestOf({ objects: [], references: [] });
  expect(placed(foldedForest(forest, none), forest)).toEqual({
    ...{ width: boxWidth, height: boxHeight, items: [], lines: [] },
  });
});
