import { objectKey } from '../../kube/object-reference.ts';
import type { DiffItem, SnapshotDiff } from '../documents/snapshot-diff.ts';
import type { RenderOptions } from '../style.ts';
import {
  differenceColumns,
  notComparedLines,
  snapshotDiffSummary,
} from '../tables/snapshot-diff-table.ts';
import { ownersAmong, withLines } from './owners-among.ts';
import type { PageData, PageReference, PageState } from './page-data.ts';
import { columnFacts, factsOf, PageObjects, pageHead, pageTable, stillView } from './page-parts.ts';

/** `snapshot diff`: before and after beside each other. */
export function diffPage(diff: SnapshotDiff, options: RenderOptions): PageData {
  const { items, before, after, remarks } = diff;
  const head = pageHead(diff, options);
  const columns = differenceColumns(diff, options);
  const objects = new PageObjects();
  for (const item of items) {
    const { object, change, deletingSince } = item;
    const since = factsOf(['Being deleted since', deletingSince]);
    objects.add(object, states[change], [...columnFacts(item, columns), ...since]);
  }
  const below = items.flatMap(({ object, root }): PageReference[] => {
    const owner = objects.add(root, { mark: 'stays', words: 'stays' });
    const dependent = objectKey(object);
    if (owner === dependent) return [];
    return [{ owner, dependent, class: 'contains', because: 'the owner above all its owners' }];
  });
  const all = objects.all();
  const views = [
    { title: `Before: ${before.observedAt}`, stateOf: stateBefore },
    { title: `After: ${after.observedAt}`, stateOf: stateAfter },
  ].map(({ title, stateOf }) => {
    const states = items.map((item) => [objectKey(item.object), stateOf(item)]);
    return stillView(title, Object.fromEntries(states));
  });
  return {
    ...head,
    title: `What changed between ${before.observedAt} and ${after.observedAt}`,
    summary: [items.length === 0 ? 'Nothing changed.' : snapshotDiffSummary(diff), ...remarks],
    gaps: [...head.gaps, ...notComparedLines(diff)],
    objects: all,
    references: withLines(ownersAmong(all, options.records), below),
    legend: {
      goes: 'went',
      again: 'was recreated',
      changes: 'changed',
      new: 'came',
      plain: 'is there',
    },
    views: items.length === 0 ? [] : views,
    table: pageTable(items, columns, ({ object }) => objectKey(object)),
  };
}

const states: Readonly<Record<DiffItem['change'], PageState>> = {
  came: { mark: 'new', words: 'came' },
  went: { mark: 'goes', words: 'went' },
  recreated: { mark: 'again', words: 'was recreated' },
  changed: { mark: 'changes', words: 'changed' },
};

function stateBefore({ change }: DiffItem): PageState {
  if (change === 'came') return { mark: 'gone', words: 'is not there yet' };
  return {
    mark: change === 'went' ? 'goes' : 'plain',
    words: change === 'went' ? 'will go' : 'is there',
  };
}

function stateAfter({ change }: DiffItem): PageState {
  return change === 'went' ? { mark: 'gone', words: 'is gone' } : states[change];
}
