import { compareText } from '../../kube/names.ts';
import { fullNameOf, tableName } from '../../kube/object-reference.ts';
import { cell } from '../../output/markdown-text.ts';
import { problemText } from '../../snapshot/coverage.ts';
import {
  accountOf,
  deletedWords,
  deletionsSummary,
  largestGroups,
  remainingWords,
  savedWords,
} from './deletion-words.ts';
import type { DeletionsItem, DeletionsReport } from './document.ts';

/** The largest groups, and objects of each, that are listed; more are counted. */
const mostGroupsListed = 500;
const mostObjectsListed = 50;

/** For a post-mortem: the timeline, and below it the objects of each group. */
export function deletionsMarkdown(report: DeletionsReport): string {
  const { sources, coverage } = report;
  const { shown, others } = largestGroups(report, mostGroupsListed);
  const inTime = shown.toSorted(({ began: { at: a = '' } }, { began: { at: b = '' } }) =>
    compareText(a, b),
  );
  const period = sources.log ? [`Requests from ${sources.log.from} to ${sources.log.to}.`, ''] : [];
  return [
    '## What was deleted',
    '',
    cell(deletionsSummary(report)),
    '',
    ...period,
    '| when | by | namespace | began with | deleted | remain | backup | reason |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...inTime.map(deletionRow),
    '',
    ...others.flatMap((line) => [line, '']),
    ...shown.flatMap(deletedObjectLines),
    ...(coverage.problems.length > 0
      ? ['### Not read', '', ...coverage.problems.map((one) => `- ${cell(problemText(one))}`), '']
      : []),
  ].join('\n');
}

function deletionRow(item: DeletionsItem): string {
  const { at = '', requester, object, because } = item.began;
  const by = accountOf(requester);
  const counts = [deletedWords(item), remainingWords(item), savedWords(item)];
  const cells = [at, by, object.namespace, tableName(object), ...counts, because];
  return `| ${cells.map(cell).join(' | ')} |`;
}

function deletedObjectLines({ began, objects }: DeletionsItem): string[] {
  if (objects.length < 2) return [];
  const rows = objects.slice(0, mostObjectsListed).map((one) => {
    const { object, state, certainty, backup = '', backupCertainty } = one;
    const saved = backupCertainty === undefined ? backup : `${backup} (${backupCertainty})`;
    return `| ${[object.namespace, tableName(object), state, certainty, saved].map(cell).join(' | ')} |`;
  });
  const left = objects.length - rows.length;
  return [
    `### With ${cell(fullNameOf(began.object))}`,
    '',
    '| namespace | object | state | certainty | backup |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...(left > 0 ? [`and ${left} more`, ''] : []),
  ];
}
