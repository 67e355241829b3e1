import { counted, kindCounts } from '../../kube/counts-by-kind.ts';
import { age } from '../../kube/time.ts';
import type { StuckDeletionsReport, UnendedDeletion } from '../documents/stuck.ts';
import { type RenderOptions, styleOf } from '../style.ts';
import type { Text } from '../text.ts';
import { type Column, renderItems } from './table.ts';
import { nameOf, waitsFor } from './words.ts';

/** A deletion a line: what it waits for in the end, and below it why. */
export function stuckTable(
  { items, at }: StuckDeletionsReport,
  options: RenderOptions,
  wide: boolean,
): Text {
  const style = styleOf(options);
  const paints = { stuck: style.red, unknown: style.magenta, progressing: style.yellow };
  const now = Date.parse(at);
  const columns: Column<UnendedDeletion>[] = [
    ['NAMESPACE', ({ object }) => object.namespace],
    ['OBJECT', ({ object }) => nameOf(object)],
    ['STATE', ({ state }) => ({ text: stuckWords[state], paint: paints[state] })],
    ['FOR', ({ since }) => age(since, now)],
    ['WAITS FOR', (item) => waitsFor(item)],
  ];
  if (wide) {
    columns.push(
      ['UID', ({ object }) => object.uid],
      ['CAUSE', ({ blockers }) => blockers[0]?.cause ?? ''],
      ['NEXT', ({ blockers }) => blockers[0]?.next ?? ''],
    );
  }
  return renderItems(items, [...columns, ['REASON', stuckReason]], options);
}

export const stuckWords: Readonly<Record<UnendedDeletion['state'], string>> = {
  stuck: 'stuck',
  unknown: 'unknown',
  progressing: 'going on',
};

export function stuckReason({ blockers: [first, ...more] }: UnendedDeletion): string {
  if (!first) return '';
  return more.length === 0 ? first.because : `${first.because}; and ${more.length} more`;
}

/** `3 deletions have not ended: 2 stuck, 1 going on.` */
export function stuckSummary({ items }: StuckDeletionsReport): string {
  const counts = kindCounts(items.map(({ state }) => stuckWords[state]));
  const list = counts.map(([words, count]) => `${count} ${words}`).join(', ');
  return `${counted(items.length, 'deletion')} ${items.length === 1 ? 'has' : 'have'} not ended: ${list}.`;
}
