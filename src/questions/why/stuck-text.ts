import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import { compareText } from '../../kube/names.ts';
import { objectKey, tableName, tablePlace } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import { stacked } from '../../output/fit-text.ts';
import type { PageData, PageReference } from '../../output/pages/page-data.ts';
import { figureOf, PageMaker } from '../../output/pages/page-maker.ts';
import type { RenderOptions } from '../../output/style.ts';
import { type Cell, type Column, placeColumns, renderItems } from '../../output/tables/table.ts';
import type { Answer } from '../answer.ts';
import { blockedByWords, stateWords } from '../words.ts';
import {
  causesOf,
  type DeletionCause,
  type StuckDeletionsReport,
  type UnendedDeletion,
} from './stuck-document.ts';

export const stuckAnswer = {
  tableOf: stuckTable,
  pageOf: stuckPage,
} satisfies Answer<StuckDeletionsReport>;

/**
 * How many deletions have not ended, and a row for each cause: what blocks them, what waits for it, and why. One row a
 * deletion with `-o wide`, and where objects are marked or printed with their labels.
 */
export function stuckTable(report: StuckDeletionsReport, options: RenderOptions): string {
  const rows =
    options.wide || options.marks || options.labels
      ? renderItems(report.items, deletionColumns(report), options)
      : blockerTable(report, options);
  return stacked(report.items.length > 0 ? [`${stuckSummary(report)}\n`, rows] : [rows]);
}

/** What blocks deletions, the worst first, with all objects that wait for it. */
function blockerTable({ items, at }: StuckDeletionsReport, options: RenderOptions): string {
  const now = Date.parse(at);
  const columns: Column<DeletionCause>[] = [
    ['STATE', ({ first }) => stateCell(first)],
    [
      'AGE',
      ({ items: waiting }) => age(waiting.map(({ since }) => since).sort(compareText)[0], now),
    ],
    ['BLOCKED BY', blockerOf],
    ['WAITING', ({ items: waiting }) => waitingWords(waiting)],
    ['REASON', ({ first }) => stuckReason(first)],
  ];
  return renderItems(causesOf(items), columns, options);
}

function blockerOf({ first: { object, blockers }, items }: DeletionCause): string {
  const [first] = blockers;
  if (!first) return '';
  const { finalizer, cause } = first;
  if (finalizer !== undefined) {
    const blocked = new Set(
      items.flatMap(({ blockers: [one] }) => (one ? objectKey(one.object) : [])),
    );
    const whose =
      blocked.size > 1 ? counted(blocked.size, first.object.kind) : tableName(first.object);
    return `finalizer ${finalizer} of ${whose}`;
  }
  const isItself = objectKey(first.object) === objectKey(object);
  return isItself ? cause.replaceAll('-', ' ') : tableName(first.object);
}

/** `Namespace/orders, Pod/db-0 in orders and 4 more` */
function waitingWords(items: readonly UnendedDeletion[]): string {
  return firstOf(items.map(({ object }) => tablePlace(object)));
}

/** A deletion a line: what it waits for in the end, and below it why. */
function deletionColumns({ at }: StuckDeletionsReport): Column<UnendedDeletion>[] {
  const now = Date.parse(at);
  return [
    ...placeColumns,
    ['STATE', stateCell],
    ['AGE', ({ since }) => age(since, now)],
    ['WAITS FOR', (item) => blockedByWords(item)],
    ['UID', ({ object }) => object.uid, 'wide'],
    ['CAUSE', ({ blockers }) => blockers[0]?.cause ?? '', 'wide'],
    ['NEXT', ({ blockers }) => blockers[0]?.next ?? '', 'wide'],
    ['REASON', stuckReason],
  ];
}

function stateCell({ state }: UnendedDeletion): Cell {
  const paints = { stuck: 'red', unknown: 'magenta', progressing: 'yellow' } as const;
  return { text: stateWords[state], paint: paints[state] };
}

function stuckReason({ blockers: [first, ...more] }: UnendedDeletion): string {
  if (!first) return 'controllers are at work';
  return more.length === 0 ? first.because : `${first.because}; and ${more.length} more`;
}

/** `3 deletions have not ended: 1 stuck, 2 in progress.`: the worst stand first. */
function stuckSummary({ items }: StuckDeletionsReport): string {
  const counts = [...Map.groupBy(items, ({ state }) => state)]
    .map(([state, { length }]) => `${length} ${stateWords[state]}`)
    .join(', ');
  return `${counted(items.length, 'deletion')} ${items.length === 1 ? 'has' : 'have'} not ended: ${counts}.`;
}

/** `why -A`: every deletion that has not ended, and what it waits for. */
export function stuckPage(report: StuckDeletionsReport, options: RenderOptions): PageData {
  const { items } = report;
  const page = new PageMaker(deletionColumns(report), options);
  for (const item of items) {
    const { object, state, since, fix } = item;
    page.item(item, object, { mark: stateMarks[state], words: stateWords[state] }, [
      ['Being deleted since', since],
      ['Smallest step (--fix)', fix?.does],
      ['Risk of it', fix?.risk],
    ]);
  }
  const references = items.flatMap(({ object, blockers }) => {
    const dependent = objectKey(object);
    return blockers.flatMap((blocker): PageReference[] => {
      const owner = page.add(blocker.object, { mark: 'plain', words: 'blocks a deletion' });
      if (owner === dependent) return [];
      return [{ owner, dependent, class: 'leads', because: blocker.because }];
    });
  });
  return page.page(report, {
    title: 'Deletions that have not ended',
    figure: figureOf(
      items.length,
      'object is being deleted',
      'objects are being deleted',
      !report.coverage.complete,
    ),
    first: 'rows',
    summary: [stuckSummary(report)],
    references,
  });
}

const stateMarks = { stuck: 'stuck', unknown: 'unknown', progressing: 'changes' } as const;
