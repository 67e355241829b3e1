import { fullNameOf } from '../../../kube/object-reference.ts';
import { cell } from '../../../output/markdown-text.ts';
import { printable } from '../../../output/printable.ts';
import type { AuditReport } from '../document.ts';
import {
  configurationOf,
  isNewFinding,
  locationOf,
  sentenceOf,
  unreadSentences,
} from './finding-text.ts';

const verdicts = {
  failed: 'failed',
  incomplete: 'not clean: something could not be read',
  passed: 'passed',
} as const;

/** For a comment on a pull request or a step's summary. */
export function auditMarkdown(report: AuditReport): string {
  const { error, warning, info, baseline, waived } = report.summary;
  const rows = report.items.filter(isNewFinding).map((item) => {
    const { path, line, isFile } = locationOf(item);
    const place = isFile ? ` (${path}:${line})` : '';
    const { command, summary } = item.fix;
    const fix = command === undefined ? cell(summary) : code(command);
    const object = cell(`${fullNameOf(item.object)}${place}`);
    return `| ${item.severity} | ${object} | ${item.rule} | ${cell(sentenceOf(item))} | ${fix} |`;
  });
  const configuration = configurationOf(report);
  const gaps = unreadSentences(report).map((text) => `- ${cell(text)}`);
  return [
    `## kubectl gc audit: ${verdicts[report.verdict]}`,
    '',
    `${error} error${error === 1 ? '' : 's'}, ${warning} warning${warning === 1 ? '' : 's'}, ${info} info; ${baseline} in the baseline, ${waived} waived.`,
    ...(configuration === '' ? [] : ['', cell(configuration)]),
    ...(rows.length > 0
      ? [
          '',
          '| severity | object | rule | what | fix |',
          '| --- | --- | --- | --- | --- |',
          ...rows,
        ]
      : []),
    ...(gaps.length > 0 ? ['', '### Not checked', '', ...gaps] : []),
    '',
  ].join('\n');
}

/** Behind a fence that is longer than every run of backticks in it, so that the command stays as it is. */
function code(command: string): string {
  const text = printable(command).replaceAll('|', '\\|');
  const runs: readonly string[] = text.match(/`+/g) ?? [];
  const longest = runs.reduce((most, { length }) => Math.max(most, length), 0);
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
