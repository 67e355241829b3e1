import type { Plan, PlannedObject } from '../../deletion/plan/plan.ts';
import { objectKey, tableName } from '../../kube/object-reference.ts';
import { cell } from '../../output/markdown-text.ts';
import type { RenderOptions } from '../../output/style.ts';
import { problemText } from '../../snapshot/coverage.ts';
import { fateWords, summaryLines } from './plan-words.ts';

/** Rows of a comment: more are counted. */
const mostRows = 100;

/** For the comment on a pull request: what is pruned, and what is deleted with it. */
export function planMarkdown(plan: Plan, options: RenderOptions): string {
  const { objects, requests, remarks, coverage } = plan;
  if (requests.length === 0) return '## Nothing is pruned\n';
  const asked = new Set(requests.map(objectKey));
  const rows = objects.slice(0, mostRows).map((object) => plannedRow(object, asked));
  const left = objects.length - rows.length;
  const warnings = remarks.filter(({ severity }) => severity === 'warning');
  // What the input lacks stands in the summary.
  const unread = coverage.problems.filter(({ reason }) => reason !== 'not-in-input');
  const notes = remarks.filter(({ severity }) => severity === 'note');
  return [
    '## What this change prunes',
    '',
    ...summaryLines(plan, { ...options, colour: false }).map(cell),
    '',
    ...warnings.map(({ message }) => `- **Warning:** ${cell(message)}`),
    ...notes.map(({ message }) => `- ${cell(message)}`),
    ...(remarks.length > 0 ? [''] : []),
    '| namespace | object | pruned | result |',
    '| --- | --- | --- | --- |',
    ...rows,
    ...(left > 0 ? ['', `and ${left} more`] : []),
    ...(unread.length > 0
      ? ['', '### Not read', '', ...unread.map((one) => `- ${cell(problemText(one))}`)]
      : []),
    '',
  ].join('\n');
}

function plannedRow(object: PlannedObject, asked: ReadonlySet<string>): string {
  const how = asked.has(objectKey(object)) ? 'yes' : 'dependent';
  return `| ${[object.namespace, tableName(object), how, fateWords(object)].map(cell).join(' | ')} |`;
}
