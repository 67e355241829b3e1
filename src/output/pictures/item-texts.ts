import { counted } from '../../kube/counts-by-kind.ts';
import { type Mark, marksInOrder } from '../pages/marks.ts';
import type { PageState } from '../pages/page-data.ts';
import { printable } from '../printable.ts';
import type { PictureItem } from './fold-forest.ts';
import { boxWidth } from './place-items.ts';

interface ItemTexts {
  readonly mark: Mark;
  readonly name: string;
  readonly note: string;
}

/** What stands in a box. */
export function itemTexts(item: PictureItem, stateOf: (id: string) => PageState): ItemTexts {
  const { branch, group, hidden } = item;
  if (branch) {
    const { object } = branch;
    const { mark, words } = stateOf(object.id);
    // As in a tree: a namespace is named where the picture enters it.
    const isInNamespaceOfParent = branch.parent?.object.namespace === object.namespace;
    const where = isInNamespaceOfParent ? '' : object.namespace;
    const note = [object.kind, words, where].filter((part) => part !== '').join(' · ');
    return { mark, name: printable(object.name), note: printable(note) };
  }
  const members = group?.members ?? [];
  const kind = counted(members.length, printable(group?.kind ?? ''));
  const states = members.map(({ object }) => stateOf(object.id));
  const mark = marksInOrder.find((one) => states.some((state) => state.mark === one)) ?? 'plain';
  const words = Map.groupBy(states, (state) => state.words);
  const counts = [...words].map(([word, { length }]) =>
    words.size > 1 ? `${length} ${word}` : word,
  );
  const below = hidden.length - members.length;
  const note = [...counts, ...(below > 0 ? [`${below} below`] : [])].join(', ');
  return { mark, name: group?.isRest ? `${kind} more` : kind, note: printable(note) };
}

/** Pixels that a text takes in letters of this size. */
export type WidthOf = (text: string, size: number) => number;

/** No wider than in DejaVu Sans, the widest of the usual fonts: for a picture whose reader's font is not known. */
export const widestOf: WidthOf = (text, size) => {
  let ems = 0;
  for (const char of text) ems += widths.find(([chars]) => chars.test(char))?.[1] ?? 1;
  return ems * size;
};

/** In ems. */
const widths: readonly (readonly [RegExp, number])[] = [
  [/[ !'(),./:;Iijltrf|·-]/, 0.42],
  [/[a-ln-vx-z0-9_"*?$]/, 0.64],
  [/[A-LN-VX-Z&+<=>~^]/, 0.84],
];

/** The words in a box, cut where they do not fit. */
export function boxWords(
  { name, note }: ItemTexts,
  widthOf: WidthOf,
): { name: string; note: string } {
  const room = boxWidth - 44;
  return {
    name: cutText(name, (text) => widthOf(text, 13) <= room, true),
    note: cutText(note, (text) => widthOf(text, 11) <= room),
  };
}

const wordsWithEnds = /[^ ,./·-]*[ ,./·-]*/g;

/** A text that is too long loses whole words; names of pods differ at their ends, which stay. */
function cutText(text: string, fits: (text: string) => boolean, isEndKept = false): string {
  if (fits(text)) return text;
  const start = text.match(wordsWithEnds)?.filter((word) => word !== '') ?? [];
  const end = isEndKept && start.length > 1 ? start.pop() : '';
  for (start.pop(); start.length > 0; start.pop()) {
    const cut = `${start.join('')}…${end}`;
    if (fits(cut)) return cut;
  }
  // One word is wider than its box.
  const chars = [...text];
  while (chars.length > 0 && !fits(`${chars.join('')}…`)) chars.pop();
  return `${chars.join('')}…`;
}
