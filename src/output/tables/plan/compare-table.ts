import {
  type Cascade,
  type ComparedFate,
  type ComparedObject,
  cascades,
  type DeletionComparison,
} from '../../../deletion/plan/compare-policies.ts';
import type { Fate } from '../../../deletion/plan/plan.ts';
import { homes, unreadOf } from '../../../deletion/plan/unread-content.ts';
import { counted } from '../../../kube/counts-by-kind.ts';
import type { RenderOptions } from '../../style.ts';
import { type Cell, renderTable } from '../table.ts';
import { nameOf } from '../words.ts';
import { type Grouping, groupedToFit, objectCells, type Shared } from './alike-rows.ts';
import { fatePaint, fatesInOrder, fateWords, goingFates, remarkLines } from './plan-words.ts';

/** As in the rows below. */
const headerOf: Partial<Readonly<Record<Fate, string>>> = { terminating: 'STUCK', kept: 'STAYS' };

const later =
  'Note: the numbers say how it ends once the finalizers that hold objects are removed.';

/** How many meet which fate under each policy, and below it every object; wide says why. */
export function compareTable(
  comparison: DeletionComparison,
  options: RenderOptions,
  wide: boolean,
): string {
  const { policies, objects, remarks, coverage } = comparison;
  const identities = objects.map(({ object }) => object);
  const isUnread = unreadOf({ coverage, requests: [], objects: identities }).length > 0;
  const holds = identities.some(({ kind }) => homes.has(kind));
  const counts = cascades.map((cascade): Cell[] => {
    const isOpen = isUnread && (cascade !== 'orphan' || holds);
    return [
      cascade,
      ...fatesInOrder.map((fate) => {
        const count = policies[cascade][fate];
        return isOpen && count > 0 && goingFates.has(fate) ? `at least ${count}` : String(count);
      }),
    ];
  });
  const headers = ['POLICY', ...fatesInOrder.map((fate) => headerOf[fate] ?? fate.toUpperCase())];
  const columns = ['NAMESPACE', 'OBJECT', ...cascades.map((cascade) => cascade.toUpperCase())];
  const told = remarks.map((remark) => ({
    ...remark,
    message:
      remark.policies.length === cascades.length
        ? remark.message
        : `with ${remark.policies.join(' and ')}: ${remark.message}`,
  }));
  const lines = remarkLines(told, options);
  if (objects.some((object) => cascades.some((cascade) => object[cascade].then))) lines.push(later);
  const draw = (rows: Shared<ComparedObject>, _: number, look: RenderOptions) => {
    const blocks = [renderTable(headers, counts, look)];
    if (lines.length > 0) blocks.push(`${lines.join('\n')}\n`);
    const fates = rows.map((some) => fateCells(some, look, wide));
    if (fates.length > 0) blocks.push(renderTable(columns, fates, look));
    return blocks.join('\n');
  };
  return groupedToFit(objects, wide ? [] : groupings, options, draw);
}

const groupings: readonly Grouping<ComparedObject>[] = [
  {
    alike: ({ object, ...by }) => `${object.namespace} ${object.kind} ${wordsOf(by)}`,
    letters: 0,
  },
  { alike: wordsOf, letters: 0 },
];

function wordsOf(by: Pick<ComparedObject, Cascade>): string {
  return cascades.map((cascade) => fateWordsOf(by[cascade])).join(', ');
}

/** Three times "will be" beside each other would break names. */
function fateWordsOf({ fate, then, likely }: ComparedFate): string {
  return fateWords(fate, then, likely).replace(/^will be /, '');
}

function fateCells(
  alike: readonly ComparedObject[],
  options: RenderOptions,
  wide: boolean,
): Cell[] {
  const [first] = alike as readonly [ComparedObject];
  const objects = alike.map(({ object }) => object);
  const [, namespace = ''] = objectCells(objects, options);
  const kinds = new Set(objects.map(({ kind }) => kind));
  const several =
    kinds.size > 1
      ? `${objects.length} objects of ${kinds.size} kinds`
      : counted(objects.length, first.object.kind);
  return [
    namespace,
    objects.length === 1 ? nameOf(first.object) : several,
    ...cascades.map((cascade): Cell => {
      const { fate, then, because } = first[cascade];
      const words = fateWordsOf(first[cascade]);
      return {
        text: wide ? `${words}: ${because}` : words,
        paint: fatePaint(then ?? fate, options),
      };
    }),
  ];
}
