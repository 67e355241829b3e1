import { compareText } from '../../kube/names.ts';
import { objectKey, tableName } from '../../kube/object-reference.ts';
import type { PageData } from '../../output/pages/page-data.ts';
import { figureOf, PageMaker } from '../../output/pages/page-maker.ts';
import type { RenderOptions } from '../../output/style.ts';
import {
  groupingsBy,
  objectsInWords,
  onOneScreen,
  type ScreenTable,
} from '../../output/tables/one-screen.ts';
import type { Column } from '../../output/tables/table.ts';
import { noneFound, Tally } from '../../output/tally.ts';
import { type Answer, distinctNames } from '../answer.ts';
import { requesterColumns, whenOf } from './chain-text.ts';
import {
  deletedWords,
  deletionsSummary,
  largestGroups,
  remainingWords,
  savedWords,
} from './deletion-words.ts';
import type { DeletionsItem, DeletionsReport } from './document.ts';

export const deletionsAnswer = {
  tableOf: deletionsTable,
  pageOf: deletionsPage,
  namesOf: ({ items }: DeletionsReport) => distinctNames(deletedIn(items)),
  texts: {
    markdown: async () => (await import('./deletions-markdown.ts')).deletionsMarkdown,
  },
} satisfies Answer<DeletionsReport>;

function* deletedIn(items: DeletionsReport['items']) {
  for (const { objects } of items) yield* objects;
}

/** The timeline of an incident: what began deletions, and how many objects of which kinds followed. */
export function deletionsTable(
  { items, unlisted = 0 }: DeletionsReport,
  options: RenderOptions,
): string {
  return onOneScreen({ ...deletionTable, items: [...items], unlisted }, options);
}

const deletionColumns: readonly Column<DeletionsItem>[] = [
  ...requesterColumns<DeletionsItem>(({ began }) => began),
  ['NAMESPACE', ({ began }) => began.object.namespace],
  ['BEGAN WITH', ({ began }) => tableName(began.object)],
  ['DELETED', (item, { wide }) => deletedWords(item, wide ? undefined : someCollections)],
  ['REMAIN', (item) => remainingWords(item)],
  ['BACKUP', (item) => savedWords(item)],
  ['REASON', ({ began }) => began.because],
];

/** Collections that a table names, of each deletion. */
const someCollections = 3;

/** Alike requests of one minute: to the same kind in the same namespace, by the same program of the same account. */
const alikeIn = ({ began }: DeletionsItem) => {
  const { controller, requester, because, object, at = '' } = began;
  const minute = at.slice(0, '2026-01-31T12:00'.length);
  return JSON.stringify([controller, requester, because, object.namespace, object.kind, minute]);
};

/** Several deletions as one. */
function together(items: readonly DeletionsItem[]): Pick<DeletionsItem, 'objects' | 'collections'> {
  return {
    objects: items.flatMap(({ objects }) => objects),
    collections: items.flatMap(({ collections }) => collections),
  };
}

const deletionTable: Omit<ScreenTable<DeletionsItem>, 'items'> = {
  columns: deletionColumns,
  objectOf: ({ began }) => began.object,
  groupings: groupingsBy(alikeIn, alikeIn),
  noun: 'cause',
  merged: {
    WHEN: (items) => spanOf(items.map(({ began }) => whenOf(began))),
    'BEGAN WITH': (items) => objectsInWords(items.map(({ began }) => began.object)),
    DELETED: (items) => deletedWords(together(items), someCollections),
    REMAIN: (items) => remainingWords(together(items)),
    BACKUP: (items) => savedWords(together(items)),
  },
};

/** `2026-01-31T12:00:03Z to 12:00:41Z`, of one minute. */
function spanOf(times: readonly string[]): string {
  const [first = '', ...later] = times.toSorted(compareText);
  const last = later.at(-1) ?? first;
  return last === first ? first : `${first} to ${last.slice(last.indexOf('T') + 1)}`;
}

/** The largest groups, and objects of each, that a page shows. */
const mostGroupsShown = 500;
const mostObjectsShown = 200;

export function deletionsPage(report: DeletionsReport, options: RenderOptions): PageData {
  const page = new PageMaker(deletionColumns, options);
  const { shown, others } = largestGroups(report, mostGroupsShown);
  const references = shown.flatMap((item) => {
    const owner = page.add(item.began.object, { mark: 'goes', words: 'began with it' });
    page.row(item, owner);
    return item.objects.slice(0, mostObjectsShown).flatMap(({ object, at }) => {
      const dependent = page.add(object, { mark: 'goes', words: 'deleted' }, [['Deleted', at]]);
      if (owner === dependent || objectKey(object) === owner) return [];
      return [{ owner, dependent, class: 'contains', because: item.began.because } as const];
    });
  });
  const { items, objects, coverage, sources } = report;
  const isUnnamed = shown.some(({ collections }) => collections.length > 0);
  const isOpen = isUnnamed || !coverage.complete || (sources.log?.gaps ?? []).length > 0;
  return page.page(report, {
    title: 'What was deleted',
    figure: figureOf(objects, 'object was deleted', 'objects were deleted', isOpen),
    first: 'rows',
    summary: [
      items.length === 0
        ? `Deletions: ${noneFound(Tally.of(0, coverage), 'none')}.`
        : deletionsSummary(report),
      ...others,
    ],
    references,
  });
}
