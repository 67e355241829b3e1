import { fullNameOf } from '../../../kube/object-reference.ts';
import { printable } from '../../../output/printable.ts';
import type { AuditItem, AuditReport } from '../document.ts';
import { isNewFinding, locationOf, sentenceOf, unreadSentences } from './finding-text.ts';

const annotationLevels = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** Workflow commands of GitHub Actions: annotations in the run, and in the diff where there is a file. */
export function auditGithub(report: AuditReport): string {
  const gaps = report.verdict === 'incomplete' ? unreadSentences(report) : [];
  return [
    ...report.items.filter(isNewFinding).map(annotationLine),
    ...gaps.map((text) => `::warning title=${property('not checked')}::${data(text)}\n`),
  ].join('');
}

function annotationLine(item: AuditItem): string {
  const { path, line, isFile } = locationOf(item);
  const properties = [
    ...(isFile ? [`file=${property(path)}`, `line=${line}`] : []),
    `title=${property(`${item.rule}: ${fullNameOf(item.object)}`)}`,
  ];
  const lines = [
    `${fullNameOf(item.object)}: ${sentenceOf(item)}`,
    `Fix: ${item.fix.command ?? item.fix.summary}`,
  ];
  return `::${annotationLevels[item.severity]} ${properties.join(',')}::${lines.map(data).join('%0A')}\n`;
}

function data(text: string): string {
  return printable(text).replaceAll('%', '%25');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
