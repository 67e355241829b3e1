import {
  type Cascade,
  type ComparedFate,
  type ComparedObject,
  cascades,
  type DeletionComparison,
} from '../../deletion/plan/compare-policies.ts';
import type { Fate } from '../../deletion/plan/plan.ts';
import { disappears, unreadOf } from '../../deletion/plan/plan-totals.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { objectKey, tableName } from '../../kube/object-reference.ts';
import { namesContainer } from '../../kube/well-known-kinds.ts';
import { stacked } from '../../output/fit-text.ts';
import { ownersAmong } from '../../output/pages/owners-among.ts';
import type { PageData, PageState } from '../../output/pages/page-data.ts';
import { figureOf, PageMaker, stillView, titleOfSome } from '../../output/pages/page-maker.ts';
import { printedName } from '../../output/printable.ts';
import type { RenderOptions } from '../../output/style.ts';
import {
  type Grouping,
  groupedToFit,
  namespaceCell,
  type Room,
  type Shared,
} from '../../output/tables/alike-rows.ts';
import { type Cell, type Column, renderItems } from '../../output/tables/table.ts';
import type { Answer } from '../answer.ts';
import { fateStyles, fatesInOrder, fateWords, remarkLines } from './plan-words.ts';

export const comparisonAnswer = {
  tableOf: comparisonTable,
  pageOf: comparisonPage,
  namesOf: ({ objects }: DeletionComparison) => objects.map(({ object }) => printedName(object)),
} satisfies Answer<DeletionComparison>;

const later =
  'Note: the numbers say how it ends once the finalizers that hold objects are removed.';

/** How many meet which fate under each policy, and below it every object; wide says why. */
export function comparisonTable(comparison: DeletionComparison, options: RenderOptions): string {
  const { objects } = comparison;
  const countOf = counterOf(comparison);
  const counts: Column<Cascade>[] = [
    ['POLICY', (cascade) => cascade],
    ...fatesInOrder.map((fate): Column<Cascade> => {
      return [fateStyles[fate].short.toUpperCase(), (cascade) => countOf(cascade, fate)];
    }),
  ];
  const lines = comparisonRemarks(comparison, options);
  const draw = (rows: Shared<ComparedObject>, _: Room, look: RenderOptions) =>
    stacked([
      renderItems(cascades, counts, look),
      lines.map((line) => `${line}\n`).join(''),
      renderItems(rows, fateColumns, look),
    ]);
  return groupedToFit(objects, options.wide ? [] : groupings, options, draw);
}

/** How many objects have a fate under a policy. */
function counterOf(comparison: DeletionComparison) {
  const isOpenWith = opennessOf(comparison);
  return (cascade: Cascade, fate: Fate): string => {
    const count = comparison.policies[cascade][fate];
    const isOpen = isOpenWith(cascade) && disappears({ fate });
    return isOpen && count > 0 ? `at least ${count}` : String(count);
  };
}

/** May a policy delete more than these objects? Where something was not read: dependents, or what a container holds. */
function opennessOf({ objects, coverage }: DeletionComparison) {
  const identities = objects.map(({ object }) => object);
  const isUnread = unreadOf({ coverage, requests: [], objects: identities }).length > 0;
  const holds = identities.some(namesContainer);
  return (cascade: Cascade): boolean => isUnread && (cascade !== 'orphan' || holds);
}

/** What to know; of what is so with some policies only, with which. */
function comparisonRemarks(
  { remarks, objects }: DeletionComparison,
  options: RenderOptions,
): string[] {
  const told = remarks.map((remark) => ({
    ...remark,
    message:
      remark.policies.length === cascades.length
        ? remark.message
        : `with ${remark.policies.join(' and ')}: ${remark.message}`,
  }));
  const isHeld = objects.some((object) => cascades.some((cascade) => object[cascade].then));
  return [...remarkLines(told, options), ...(isHeld ? [later] : [])];
}

const groupings: readonly Grouping<ComparedObject>[] = [
  {
    alike: ({ object, ...by }) => `${object.namespace} ${object.kind} ${fatesInWords(by)}`,
    characters: 0,
  },
  { alike: fatesInWords, characters: 0 },
];

function fatesInWords(by: Pick<ComparedObject, Cascade>): string {
  return cascades.map((cascade) => fateWordsOf(by[cascade])).join(', ');
}

/** Three times "will be" beside each other would break names. */
function fateWordsOf(compared: ComparedFate): string {
  return fateWords(compared).replace(/^will be /, '');
}

const fateColumns: readonly Column<readonly ComparedObject[]>[] = [
  ['NAMESPACE', (some) => namespaceCell(some.map(({ object }) => object))],
  ['OBJECT', severalInWords],
  ...cascades.map((cascade): Column<readonly ComparedObject[]> => {
    const cell = ([first]: readonly ComparedObject[], { wide }: RenderOptions): Cell => {
      if (!first) return '';
      const { fate, then, because } = first[cascade];
      const words = fateWordsOf(first[cascade]);
      return { text: wide ? `${words}: ${because}` : words, paint: fateStyles[then ?? fate].paint };
    };
    return [cascade.toUpperCase(), cell];
  }),
];

function severalInWords(some: readonly ComparedObject[]): string {
  const [first, ...others] = some;
  if (first && others.length === 0) return tableName(first.object);
  const kinds = new Set(some.map(({ object }) => object.kind));
  return kinds.size > 1
    ? `${some.length} objects of ${kinds.size} kinds`
    : counted(some.length, first?.object.kind ?? '');
}

/** `delete --compare`: the same deletion with each policy, beside each other. */
export function comparisonPage(comparison: DeletionComparison, options: RenderOptions): PageData {
  const { objects, policies } = comparison;
  const countOf = counterOf(comparison);
  const all = objects.map(({ object }) => object);
  const references = ownersAmong(all, options.records);
  const owned = new Set(references.map(({ dependent }) => dependent));
  const roots = all.filter((object) => !owned.has(objectKey(object)));
  const counts = cascades.map((cascade) => {
    const counts = fatesInOrder.flatMap((fate) =>
      policies[cascade][fate] > 0 ? [`${countOf(cascade, fate)} ${fate}`] : [],
    );
    return `${cascade}: ${counts.join(', ') || 'nothing happens'}`;
  });
  const columns = cascades.map((cascade): Column<ComparedObject> => {
    return [
      cascade.toUpperCase(),
      (one) => `${comparedState(one, cascade).words}: ${one[cascade].because}`,
    ];
  });
  const page = new PageMaker(columns, options);
  for (const compared of objects) {
    const reasons = cascades.map(
      (cascade) => [`Reason, ${cascade}`, compared[cascade].because] as const,
    );
    page.row(compared, page.add(compared.object, comparedState(compared, 'background'), reasons));
  }
  const isOpenWith = opennessOf(comparison);
  const deleted = cascades.map((cascade) => {
    const count = objects.filter((one) => isDeletedBy(one[cascade])).length;
    return figureOf(count, '', '', isOpenWith(cascade)).value;
  });
  return page.page(comparison, {
    title: `Three ways to delete ${titleOfSome(roots)}`,
    figure: { value: deleted.join(' · '), words: `will be deleted with ${cascades.join(' · ')}` },
    first: 'outline',
    summary: [...counts, ...comparisonRemarks(comparison, { ...options, colour: false })],
    references,
    views: cascades.map((cascade) => {
      const states = objects.map((compared) => [
        objectKey(compared.object),
        comparedState(compared, cascade),
      ]);
      return stillView(cascade, Object.fromEntries(states));
    }),
  });
}

function isDeletedBy({ fate, then }: ComparedFate): boolean {
  const end = then ?? fate;
  return end === 'deleted' || end === 'recreated';
}

function comparedState(compared: ComparedObject, cascade: Cascade): PageState {
  const { fate, then } = compared[cascade];
  return { mark: fateStyles[then ?? fate].mark, words: fateWords(compared[cascade]) };
}
