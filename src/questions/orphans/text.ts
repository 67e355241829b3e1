import { counted } from '../../kube/counts-by-kind.ts';
import { objectKey } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import { noneFound } from '../../output/none-found.ts';
import type { PageData, PageReference, PageState } from '../../output/pages/page-data.ts';
import { PageMaker } from '../../output/pages/page-maker.ts';
import { paints, type RenderOptions } from '../../output/style.ts';
import { type Column, placeColumns, renderItems } from '../../output/tables/table.ts';
import { Tally } from '../../snapshot/tally.ts';
import type { Answer } from '../answer.ts';
import { actionStates } from '../owners/text.ts';
import { resultCounts } from '../words.ts';
import { type Orphan, type OrphansReport, overdue } from './document.ts';

export const orphansAnswer = {
  tableOf: orphansTable,
  pageOf: orphansPage,
} satisfies Answer<OrphansReport>;

export function orphansTable({ items }: OrphansReport, options: RenderOptions): string {
  return renderItems(items, orphanColumns, options);
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
  ['REASON', ({ owners, gc }, { wide }) => (owners === 'none' && !wide ? '' : gc.because)],
];

const ownersWords: Readonly<Record<Orphan['owners'], string>> = {
  gone: 'gone',
  'partly-gone': 'partly gone',
  unresolvable: 'cannot be found',
  unknown: 'not read',
  'job-gone': 'Job was deleted',
  'release-gone': 'release was removed',
  'certificate-gone': 'Certificate was deleted',
  'operator-gone': 'operator was removed',
  'old-generation': 'old generation',
  none: 'none',
};

function orphanResult({ gc, references }: Orphan): string {
  if (gc.when === overdue) return overdue;
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

/** `9 orphans: 4 will be deleted, 5 stay.` */
export function orphansSummary({ items }: OrphansReport): string {
  return `${counted(items.length, 'orphan')}: ${resultCounts(items.map(orphanResult))}.`;
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
