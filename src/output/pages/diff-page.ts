import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import type { DiffItem, SnapshotDiff } from '../documents/snapshot-diff.ts';
import type { RenderOptions } from '../style.ts';
import { itemWords, notComparedLines, snapshotDiffSummary } from '../tables/snapshot-diff-table.ts';
import { nameOf } from '../tables/words.ts';
import { ownersAmong, withLines } from './owners-among.ts';
import type { PageData, PageObject, PageReference, PageState } from './page-data.ts';
import { factsOf, identityFacts, pageHead, stillView } from './page-parts.ts';

/** `snapshot diff`: before and after beside each other. */
export function diffPage(diff: SnapshotDiff, options: RenderOptions): PageData {
  const { items, before, after, remarks, explained } = diff;
  const head = pageHead(diff, options);
  const objects = new Map<string, PageObject>();
  for (const item of items) objects.set(objectKey(item.object), objectOf(item, explained));
  const below = items.flatMap(({ object, root }): PageReference[] => {
    const [owner, dependent] = [objectKey(root), objectKey(object)];
    if (owner === dependent) return [];
    if (!objects.has(owner)) {
      const state: PageState = { mark: 'stays', words: 'stays' };
      objects.set(owner, { ...root, id: owner, state, facts: identityFacts(root) });
    }
    return [{ owner, dependent, class: 'contains', because: 'the owner above all its owners' }];
  });
  const all: readonly ObjectReference[] = [...objects.values()];
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
    objects: [...objects.values()],
    references: withLines(ownersAmong(all, options.records), below),
    legend: {
      goes: 'went',
      again: 'was recreated',
      changes: 'changed',
      new: 'came',
      plain: 'is there',
    },
    views: items.length === 0 ? [] : views,
    table: {
      columns: ['Change', 'Below', 'Reason'],
      rows: items.map((item) => ({
        object: objectKey(item.object),
        cells: [
          item.change,
          item.root.uid === item.object.uid ? '' : nameOf(item.root),
          itemWords(item, explained),
        ],
      })),
    },
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

function objectOf(item: DiffItem, explained: boolean): PageObject {
  const { object, change, previousUid, deletingSince, reason } = item;
  return {
    ...object,
    id: objectKey(object),
    state: states[change],
    facts: [
      ...factsOf(
        ['What happened', itemWords(item, explained)],
        ['Rule', reason?.rule],
        ['Controller', reason?.collector],
        ['Confidence', reason?.confidence],
        ['UID before', previousUid],
        ['Being deleted since', deletingSince],
      ),
      ...identityFacts(object),
    ],
  };
}
