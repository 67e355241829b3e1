import { cascades, type DeletionComparison } from '../../deletion/plan/compare-policies.ts';
import type { Fate } from '../../deletion/plan/plan.ts';
import { homes, unreadOf } from '../../deletion/plan/unread-content.ts';
import type { RenderOptions } from '../style.ts';
import {
  fatePaint,
  fatesInOrder,
  fateWords,
  goingFates,
  namespaceCell,
  remarkLines,
} from './plan-table.ts';
import { type Cell, renderTable } from './table.ts';
import { nameOf } from './words.ts';

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
  const fates = objects.map(({ object, ...by }): Cell[] => [
    namespaceCell(object, options),
    nameOf(object),
    ...cascades.map((cascade): Cell => {
      const { fate, then, likely, because } = by[cascade];
      // Three times "will be" beside each other would break names.
      const words = fateWords(fate, then, likely).replace(/^will be /, '');
      return {
        text: wide ? `${words}: ${because}` : words,
        paint: fatePaint(then ?? fate, options),
      };
    }),
  ]);
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
  const blocks = [renderTable(headers, counts, options)];
  if (lines.length > 0) blocks.push(`${lines.join('\n')}\n`);
  if (fates.length > 0) blocks.push(renderTable(columns, fates, options));
  return blocks.join('\n');
}
