import { severities } from '../audit/audit-finding.ts';
import type { AuditItem, AuditReport } from '../reports/audit.ts';
import { auditHtmlScript } from './audit-html-script.ts';
import { auditHtmlStyle } from './audit-html-style.ts';
import { locationOf, sentenceOf, titleOf } from './audit-location.ts';
import { auditPicture } from './audit-picture.ts';
import { gapsOf } from './audit-sarif.ts';
import { escapeMarkup as escaped } from './markup.ts';

const verdicts = {
  failed: 'There are findings that count.',
  incomplete: 'Nothing was found that fails it, but not everything could be read.',
  passed: 'Nothing was found that fails it.',
} as const;

/** One page that needs nothing else: style and filter are in it, and nothing comes from the network. */
export function auditHtml(report: AuditReport): string {
  const { items, verdict, at, coverage } = report;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>kubectl gc audit: ${verdict}</title>
<style>${auditHtmlStyle}</style>
<main>
<h1>kubectl gc audit <span class="badge ${verdict}">${verdict}</span></h1>
<p class="soft">${verdicts[verdict]} ${coverage.objects} objects of ${coverage.kinds} kinds were read, at <time>${escaped(at)}</time>.</p>
${tilesOf(report)}
${gapsIn(report)}${items.length === 0 ? '<p>No findings.</p>\n' : `<h2>Findings</h2>\n${formOf(report)}${items.map(articleOf).join('')}`}${rulesOf(report)}</main>
${items.length === 0 ? '' : `<script>${auditHtmlScript}</script>\n`}</html>
`;
}

function tilesOf({ summary }: AuditReport): string {
  const { error, warning, info, baseline, waived } = summary;
  const tiles: readonly (readonly [string, number, string])[] = [
    ['error', error, error === 1 ? 'error' : 'errors'],
    ['warning', warning, warning === 1 ? 'warning' : 'warnings'],
    ['info', info, 'info'],
    ['', baseline, 'in the baseline'],
    ['', waived, 'waived'],
  ];
  const drawn = tiles.map(([look, number, words]) => {
    return `<li><b${number > 0 && look !== '' ? ` class="${look}"` : ''}>${number}</b>${words}</li>`;
  });
  return `<ul class="tiles">${drawn.join('')}</ul>`;
}

function formOf({ items }: AuditReport): string {
  const used = (values: readonly string[]) => [...new Set(values)].sort();
  const choice = (name: string, every: string, values: readonly string[]) =>
    `<select name="${name}" aria-label="${name}"><option value="">${every}</option>${values
      .map((value) => `<option>${value}</option>`)
      .join('')}</select>`;
  const found = new Set(items.map(({ severity }) => severity));
  return `<form hidden>
<input type="search" name="text" placeholder="Filter: name, namespace, words…" aria-label="text">
${choice(
  'severity',
  'every severity',
  severities.filter((severity) => found.has(severity)),
)}
${choice('rule', 'every rule', used(items.map(({ rule }) => rule)))}
${choice('status', 'every status', used(items.map(({ status }) => status)))}
<output id="shown"></output>
</form>
`;
}

function articleOf(item: AuditItem): string {
  const { rule, severity, status, fix, waiver, lapsedWaiver, kubernetesRule } = item;
  const { path, line, isFile } = locationOf(item);
  const where = isFile ? `<p class="soft"><code>${escaped(`${path}:${line}`)}</code></p>` : '';
  const notes = [
    status === 'baseline' ? 'It is in the baseline.' : '',
    waiver ? `Waived: ${waiver.reason}${waiver.expires ? `, until ${waiver.expires}` : ''}.` : '',
    lapsedWaiver
      ? `The ${lapsedWaiver.by} does not waive it any more: ${lapsedWaiver.because}.`
      : '',
  ].filter((note) => note !== '');
  const command = fix.command ? `<pre><code>${escaped(fix.command)}</code></pre>` : '';
  const behind = kubernetesRule ? ` · ${escaped(kubernetesRule)}` : '';
  return `<article data-severity="${severity}" data-rule="${escaped(rule)}" data-status="${status}">
<div><h3><span class="badge ${severity}">${severity}</span> ${escaped(titleOf(item))}</h3>
<p class="soft">${escaped(rule)}${behind}</p>
<p>${escaped(sentenceOf(item))}</p>
${where}${notes.map((note) => `<p class="soft">${escaped(note)}</p>`).join('')}<p><b>Fix:</b> ${escaped(fix.summary)}</p>${command}</div>
${item.reference || item.related.length > 0 ? auditPicture(item) : ''}
</article>
`;
}

function gapsIn(report: AuditReport): string {
  const gaps = gapsOf(report).map((text) => `<li>${escaped(text)}</li>`);
  return gaps.length === 0 ? '' : `<h2>Not checked</h2>\n<ul>${gaps.join('\n')}</ul>\n`;
}

function rulesOf({ rules }: AuditReport): string {
  const rows = rules.map(
    ({ id, title, findings }) =>
      `<tr><td><code>${escaped(id)}</code></td><td>${escaped(title)}</td><td>${findings}</td></tr>`,
  );
  return `<h2>Rules</h2>\n<table><thead><tr><th>Rule</th><th>Finds</th><th>Count</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>\n`;
}
