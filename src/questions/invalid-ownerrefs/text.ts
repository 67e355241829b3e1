import { counted } from '../../kube/counts-by-kind.ts';
import { tableName } from '../../kube/object-name.ts';
import type { RenderOptions } from '../../output/style.ts';
import { type Column, placeColumns, renderItems } from '../../output/tables/table.ts';
import type { Answer } from '../answer.ts';
import { problemWords, resultCounts, resultPaint, resultWords } from '../words.ts';
import type { InvalidReference, InvalidReferencesReport } from './document.ts';

export const invalidReferencesAnswer = {
  tableOf: invalidReferencesTable,
} satisfies Answer<InvalidReferencesReport>;

export function invalidReferencesTable(
  report: InvalidReferencesReport,
  options: RenderOptions,
): string {
  const columns: Column<InvalidReference>[] = [
    ...placeColumns,
    ['PROBLEM', (item) => problemWords(item.class)],
    [
      'RESULT',
      (item) => ({
        text: resultWords(item.consequences.slice(0, 1), item.class),
        paint: resultPaint(item.consequences),
      }),
    ],
    ['CLASS', (item) => item.class, 'wide'],
    ['OWNER', ({ reference }) => (reference ? tableName(reference) : ''), 'wide'],
    ['WRITTEN BY', ({ writer }) => writer?.manager ?? '<unknown>', 'wide'],
    ['UID', ({ object }) => object.uid, 'wide'],
    ['RULE', ({ rule }) => rule, 'wide'],
    ['FIX', ({ fix }) => fix, 'wide'],
    [
      'REASON',
      ({ because, consequences, class: rule }) =>
        [because, ...consequences.slice(1).map((one) => resultWords([one], rule))].join('; '),
    ],
  ];
  return renderItems(report.items, columns, options);
}

/** `12 problems: 4 will be deleted, 6 never deleted.`: how many end how, the most first. */
export function invalidReferencesSummary({ items }: InvalidReferencesReport): string {
  const results = items.map((item) => resultWords(item.consequences.slice(0, 1), item.class));
  return `${counted(items.length, 'problem')}: ${resultCounts(results)}.`;
}
