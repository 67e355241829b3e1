import type { AuditItem, AuditReport } from '../documents/audit.ts';
import { gapsOf, locationOf, sentenceOf, titleOf } from './finding-text.ts';

const levels = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** Workflow commands of GitHub Actions: annotations in the run, and in the diff where there is a file. */
export function auditGithub(report: AuditReport): string {
  const counted = report.items.filter(({ status }) => status === 'new').map(lineOf);
  const gaps = report.verdict === 'incomplete' ? gapsOf(report) : [];
  return [
    ...counted,
    ...gaps.map((text) => `::warning title=${property('not checked')}::${data(text)}\n`),
  ].join('');
}

function lineOf(item: AuditItem): string {
  const { path, line, isFile } = locationOf(item);
  const properties = [
    ...(isFile ? [`file=${property(path)}`, `line=${line}`] : []),
    `title=${property(`${item.rule}: ${titleOf(item)}`)}`,
  ];
  const text = `${titleOf(item)}: ${sentenceOf(item)}\nFix: ${item.fix.command ?? item.fix.summary}`;
  return `::${levels[item.severity]} ${properties.join(',')}::${data(text)}\n`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
