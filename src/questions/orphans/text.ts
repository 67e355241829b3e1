import type { Use } from '../../deletion/remarks/uses.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { objectKey, tableName } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import type { PageData, PageReference, PageState } from '../../output/pages/page-data.ts';
import { figureOf, PageMaker } from '../../output/pages/page-maker.ts';
import { paints, type RenderOptions } from '../../output/style.ts';
import {
  groupingsBy,
  kindAndPlace,
  objectsInWords,
  onOneScreen,
  type ScreenTable,
  sectionsOnScreen,
} from '../../output/tables/one-screen.ts';
import { type Column, placeColumns, renderItems } from '../../output/tables/table.ts';
import { noneFound, Tally } from '../../output/tally.ts';
import type { Answer } from '../answer.ts';
import { actionStates } from '../owners/text.ts';
import { resultCounts } from '../words.ts';
import { type Orphan, type OrphansReport, overdue } from './document.ts';

export const orphansAnswer = {
  tableOf: orphansTable,
  pageOf: orphansPage,
} satisfies Answer<OrphansReport>;

/** What never had an owner stands below, where it is enough to say who uses it. */
export function orphansTable({ items }: OrphansReport, options: RenderOptions): string {
  if (options.wide || options.labels || options.marks)
    return renderItems(items, orphanColumns, options);
  const isUnmanaged = ({ owners }: Orphan) => owners === 'none';
  const { unmanaged = [], orphaned = [] } = Object.groupBy(items, (item) =>
    isUnmanaged(item) ? 'unmanaged' : 'orphaned',
  );
  // A row for each object keeps to the order of the document.
  const sorted =
    options.width === undefined ? unmanaged : unmanaged.toSorted((a, b) => useRank(a) - useRank(b));
  return sectionsOnScreen(
    [
      (most) => onOneScreen({ ...orphanTable, items: orphaned }, options, most),
      (most) => onOneScreen({ ...unmanagedTable, items: sorted }, options, most),
    ],
    options,
  );
}

const unmanagedTable: Omit<ScreenTable<Orphan>, 'items'> = {
  columns: [
    ['NAMESPACE', ({ object }) => object.namespace],
    ['WITHOUT OWNER', ({ object }) => tableName(object)],
    ['AGE', ({ creationTimestamp }, { now }) => age(creationTimestamp, now)],
    ['USE', useOf],
  ],
  objectOf: ({ object }) => object,
  groupings: [
    (item: Orphan) => `${kindAndPlace(item)} ${useOf(item)}`,
    (item: Orphan) => `${kindAndPlace(item)} ${item.gc.action} ${item.use?.state}`,
    (item: Orphan) => `${item.object.namespace} ${item.gc.action} ${item.use?.state}`,
    (item: Orphan) => `${item.gc.action} ${item.use?.state}`,
  ].map((alike) => ({ alike, characters: Number.POSITIVE_INFINITY })),
  noun: 'object',
  byImportance: (a, b) => useRank(a) - useRank(b),
  merged: {
    'WITHOUT OWNER': (some) => objectsInWords(some.map(({ object }) => object)),
    USE: usesInWords,
  },
};

/** What is not used comes first, then what may be used; kinds that no object is known to refer to by name come last. */
function useRank({ use }: Orphan): number {
  return use ? useStates.indexOf(use.state) : useStates.length;
}

const useStates: readonly Use['state'][] = ['none-found', 'unknown', 'used'];

/** The use that all have; else the first, and how many others there are. A row has objects of one state. */
function usesInWords(some: readonly Orphan[]): string {
  const [first = '', ...others] = new Set(some.map(useOf));
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function useOf({ gc, use }: Orphan): string {
  return gc.action === 'terminating' ? 'being deleted' : (use?.because ?? '');
}

const orphanColumns: readonly Column<Orphan>[] = [
  ...placeColumns,
  ['OWNERS', ({ owners }) => ({ text: ownersWords[owners], paint: paints[owners] })],
  ['RESULT', (item) => ({ text: orphanResult(item), paint: paints[item.gc.action] })],
  ['AGE', ({ creationTimestamp }, { now }) => age(creationTimestamp, now)],
  ['WHEN', ({ gc }) => gc.when, 'wide'],
  ['POLICY', ({ gc }) => gc.policy ?? '', 'wide'],
  ['UID', ({ object }) => object.uid, 'wide'],
  ['RULE', ({ gc }) => gc.rule, 'wide'],
  // That an object has no owner stands under OWNERS.
  [
    'REASON',
    ({ owners, gc, held, use }, { wide }) =>
      [
        ...(owners === 'none' && !wide ? [] : [gc.because]),
        ...(held === undefined ? [] : [`blocked: ${held}`]),
        ...(use ? [use.because] : []),
      ].join('; '),
  ],
];

const result = (item: Orphan) => `${item.owners} ${orphanResult(item)}`;
const cause = (item: Orphan) => `${kindAndPlace(item)} ${result(item)} ${item.gc.because}`;

const orphanTable: Omit<ScreenTable<Orphan>, 'items'> = {
  columns: orphanColumns,
  objectOf: ({ object }) => object,
  groupings: groupingsBy(cause, result),
  noun: 'orphan',
};

const ownersWords: Readonly<Record<Orphan['owners'], string>> = {
  gone: 'gone',
  'partly-gone': 'partly gone',
  unresolvable: 'cannot be found',
  unknown: 'not read',
  'job-gone': 'Job was deleted',
  'deployment-gone': 'Deployment was deleted',
  'node-gone': 'Node was deleted',
  'release-gone': 'release was removed',
  'certificate-gone': 'Certificate was deleted',
  'operator-gone': 'operator was removed',
  'holder-gone': 'holder was deleted',
  'subjects-gone': 'subjects do not exist',
  'old-generation': 'old generation',
  none: 'none',
};

function orphanResult({ gc, held, references }: Orphan): string {
  if (gc.when === overdue) return overdue;
  if (held !== undefined) return 'will be stuck';
  if (gc.action !== 'patch') return orphanResults[gc.action] ?? 'stays';
  const lost = references.filter((reference) => reference.class !== 'solid').length;
  return lost === 1 ? 'loses a reference' : `loses ${lost} references`;
}

const orphanResults: Readonly<Partial<Record<Orphan['gc']['action'], string>>> = {
  delete: 'will be deleted',
  terminating: 'being deleted',
  unknown: 'unknown',
  frozen: 'never deleted',
};

/** `9 orphans: 4 will be deleted, 5 stay. 3 objects without an owner, 1 of them unused.` */
export function orphansSummary({ items }: OrphansReport): string {
  const orphaned = items.filter(({ owners }) => owners !== 'none');
  const others = items.length - orphaned.length;
  const unused = items.filter(
    ({ owners, use }) => owners === 'none' && use?.state === 'none-found',
  ).length;
  const found = `${counted(orphaned.length, 'orphan')}${orphaned.length === 0 ? '' : `: ${resultCounts(orphaned.map(orphanResult))}`}.`;
  if (others === 0) return found;
  return `${found} ${counted(others, 'object')} without an owner${unused === 0 ? '' : `, ${unused} of them unused`}.`;
}

/** `orphans`: each below the owners that it names, also those that do not exist. */
export function orphansPage(report: OrphansReport, options: RenderOptions): PageData {
  const { items } = report;
  const page = new PageMaker(orphanColumns, options);
  for (const item of items) {
    const { mark } = actionStates[item.gc.action];
    page.item(item, item.object, { mark, words: orphanResult(item) });
  }
  const namespaces = new Map(options.records?.map(({ uid, namespace }) => [uid, namespace]));
  const references = items.flatMap((item) =>
    item.references.map((reference): PageReference => {
      const { class: found, because, ...named } = reference;
      // A reference does not say whether its owner is in a namespace; one that is there does.
      const place = { ...named, namespace: namespaces.get(named.uid) ?? '' };
      const owner = page.add(place, ownerStates[found], [], named.uid);
      return { owner, dependent: objectKey(item.object), class: found, because };
    }),
  );
  return page.page(report, {
    title: 'Objects that have lost their owners',
    figure: figureOf(items.length, 'orphan', 'orphans', !report.coverage.complete),
    summary: [
      items.length === 0
        ? `Orphans: ${noneFound(Tally.of(0, report.coverage), 'none')}.`
        : orphansSummary(report),
    ],
    references,
  });
}

const ownerStates: Readonly<Record<Orphan['references'][number]['class'], PageState>> = {
  solid: { mark: 'plain', words: 'exists' },
  waiting: { mark: 'stuck', words: 'is being deleted' },
  dangling: { mark: 'gone', words: 'does not exist' },
  unresolvable: { mark: 'unseen', words: 'cannot be looked up' },
  unknown: { mark: 'unseen', words: 'was not read' },
};
