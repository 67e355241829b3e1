import { counted } from '../../kube/counts-by-kind.ts';
import { tableName } from '../../kube/object-reference.ts';
import type { RenderOptions } from '../../output/style.ts';
import { groupingsBy, onOneScreen, type ScreenTable } from '../../output/tables/one-screen.ts';
import { placeColumns } from '../../output/tables/table.ts';
import type { Answer } from '../answer.ts';
import { overdue } from '../orphans/document.ts';
import { problemWords, resultCounts, resultPaint, resultWords } from '../words.ts';
import type { InvalidReference, InvalidReferencesReport } from './document.ts';

export const invalidReferencesAnswer = {
  tableOf: invalidReferencesTable,
} satisfies Answer<InvalidReferencesReport>;

export function invalidReferencesTable(
  report: InvalidReferencesReport,
  options: RenderOptions,
): string {
  return onOneScreen({ ...referencesTable, items: report.items }, options);
}

const result = ({ consequences, class: rule, overdue: isLate }: InvalidReference) =>
  isLate ? overdue : resultWords(consequences.slice(0, 1), rule);
const problem = (item: InvalidReference) => `${item.class} ${result(item)}`;

const referencesTable: Omit<ScreenTable<InvalidReference>, 'items'> = {
  columns: [
    ...placeColumns,
    ['PROBLEM', (item) => problemWords(item.class)],
    ['RESULT', (item) => ({ text: result(item), paint: resultPaint(item.consequences) })],
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
  ],
  objectOf: ({ object }) => object,
  groupings: groupingsBy((item) => {
    const { namespace, kind } = item.object;
    return JSON.stringify([namespace, kind, problem(item), item.because]);
  }, problem),
  noun: 'problem',
};

/** `12 problems: 4 will be deleted, 6 never deleted.`: how many end how, the most first. */
export function invalidReferencesSummary({ items }: InvalidReferencesReport): string {
  return `${counted(items.length, 'problem')}: ${resultCounts(items.map(result))}.`;
}
