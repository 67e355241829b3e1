import type { AuditItem, AuditReport } from '../reports/audit.ts';
import { locationOf, sentenceOf, titleOf } from './audit-location.ts';
import { gapsOf } from './audit-sarif.ts';
import { escapeMarkup as escaped } from './markup.ts';

const style = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8884; padding: .4rem .6rem; text-align: left; vertical-align: top; }
code { overflow-wrap: anywhere; }
.error { color: #c62828; } .warning { color: #b26a00; } .info { color: #1565c0; }
.baseline, .waived { opacity: .6; }
`;

/** One page that needs nothing else: no scripts, no fonts, no network. */
export function auditHtml(report: AuditReport): string {
  const { error, warning, info, baseline, waived } = report.summary;
  const gaps = gapsOf(report);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kubectl gc audit: ${report.verdict}</title>
<style>${style}</style>
<h1>kubectl gc audit: ${report.verdict}</h1>
<p>${error} errors, ${warning} warnings, ${info} info; ${baseline} in the baseline, ${waived} waived. ${report.coverage.objects} objects, ${report.at}.</p>
<table>
<tr><th>Severity<th>Object<th>Rule<th>What<th>Fix</tr>
${report.items.map(rowOf).join('')}</table>
${gaps.length === 0 ? '' : `<h2>Not checked</h2>\n<ul>\n${gaps.map((text) => `<li>${escaped(text)}\n`).join('')}</ul>\n`}</html>
`;
}

function rowOf(item: AuditItem): string {
  const { path, line, isFile } = locationOf(item);
  const place = isFile ? `<br><small>${escaped(`${path}:${line}`)}</small>` : '';
  const note =
    item.status === 'new'
      ? ''
      : `<br><small>${escaped(item.waiver?.reason ?? 'in the baseline')}</small>`;
  const command = item.fix.command ? `<br><code>${escaped(item.fix.command)}</code>` : '';
  return `<tr class="${item.status}"><td class="${item.severity}">${item.severity}<td>${escaped(titleOf(item))}${place}<td>${item.rule}<td>${escaped(sentenceOf(item))}${note}<td>${escaped(item.fix.summary)}${command}</tr>\n`;
}
