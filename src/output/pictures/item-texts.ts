import { counted } from '../../kube/counts-by-kind.ts';
import { type Mark, marksInOrder } from '../pages/marks.ts';
import type { PageState } from '../pages/page-data.ts';
import { printable } from '../printable.ts';
import type { Item } from './fold-forest.ts';

interface ItemTexts {
  readonly mark: Mark;
  readonly name: string;
  readonly note: string;
}

/** What stands in a box. */
export function itemTexts(item: Item, stateOf: (id: string) => PageState): ItemTexts {
  const { branch, group, hidden } = item;
  if (branch) {
    const { object } = branch;
    const { mark, words } = stateOf(object.id);
    // As in a tree: a namespace is named where the picture enters it.
    const isTold = branch.parent?.object.namespace === object.namespace;
    const where = isTold ? '' : object.namespace;
    const note = [object.kind, where, words].filter((part) => part !== '').join(' · ');
    return { mark, name: printable(object.name), note: printable(note) };
  }
  const members = group?.members ?? [];
  const kind = counted(members.length, printable(group?.kind ?? ''));
  const states = members.map(({ object }) => stateOf(object.id));
  const mark = marksInOrder.find((one) => states.some((state) => state.mark === one)) ?? 'plain';
  const words = Map.groupBy(states, (state) => state.words);
  const told = [...words].map(([word, { length }]) =>
    words.size > 1 ? `${length} ${word}` : word,
  );
  const below = hidden.length - members.length;
  const note = [...told, ...(below > 0 ? [`${below} below`] : [])].join(', ');
  return { mark, name: group?.isRest ? `${kind} more` : kind, note: printable(note) };
}

/** The begin and the end of a text that is too long: names of pods differ at their ends. */
export function cutText(text: string, most: number): string {
  const chars = [...text];
  if (chars.length <= most) return text;
  const tail = Math.floor(most / 3);
  return `${chars.slice(0, most - tail - 1).join('')}…${chars.slice(-tail).join('')}`;
}
