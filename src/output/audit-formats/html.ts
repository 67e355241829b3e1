import { severities } from '../../audit/rule.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { AuditItem, AuditReport } from '../documents/audit.ts';
import { escapeMarkup as escaped } from '../printable.ts';
import { configurationOf, gapsOf, locationOf, sentenceOf, titleOf } from './finding-text.ts';

const verdicts = {
  failed: 'There are findings that count.',
  incomplete: 'Nothing was found that fails it, but not everything could be read.',
  passed: 'Nothing was found that fails it.',
} as const;

/** One page that needs nothing else: style and filter are in it, and nothing comes from the network. */
export function auditHtml(report: AuditReport): string {
  const { items, verdict, at, coverage } = report;
  const words = `${verdicts[verdict]} ${coverage.objects} objects of ${coverage.kinds} kinds were`;
  const configuration = configurationOf(report);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>kubectl gc audit: ${verdict}</title>
<style>${auditHtmlStyle}</style>
<main>
<h1>kubectl gc audit <span class="badge ${verdict}">${verdict}</span></h1>
<p class="soft">${words} read, at <time>${escaped(at)}</time>.</p>
${configuration && `<p class="soft">${escaped(configuration)}</p>\n`}${tilesOf(report)}
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
${item.reference || item.related.length > 0 ? ownershipPicture(item) : ''}
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

/** Light or dark as the reader's system prefers; no external font, image or address. */
const auditHtmlStyle = `
:root { color-scheme: light dark; --bg: #f6f7f9; --card: #fff; --ink: #1c2430; --soft: #5b6675; --line: #dfe3e8;
  --error: #b3261e; --warning: #8a5a00; --info: #1d5fb4; --ok: #1b6e3c; --code: #eef1f5; }
@media screen and (prefers-color-scheme: dark) { :root { --bg: #12161c; --card: #1a2029; --ink: #e4e9f0; --soft: #9aa6b5;
  --line: #2d3642; --error: #ff8a80; --warning: #f0b95a; --info: #82b6ff; --ok: #7bd49b; --code: #222b36; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); margin: 0; } code { font: 13px/1.5 ui-monospace, monospace; }
.badge { font-size: .8rem; font-weight: 600; padding: .1rem .6rem; border-radius: 1rem; border: 1px solid currentColor;
  white-space: nowrap; vertical-align: middle; }
.error, .failed { color: var(--error); } .warning, .incomplete { color: var(--warning); } .info { color: var(--info); }
.passed { color: var(--ok); }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; padding: 0; list-style: none; }
.tiles li { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .6rem 1.1rem; min-width: 6.5rem; }
.tiles b { display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
form { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: center; position: sticky; top: 0; z-index: 1;
  background: var(--bg); padding: .75rem 0; border-bottom: 1px solid var(--line); }
input[type=search], select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: .4rem; padding: .35rem .6rem; min-width: 0; } input[type=search] { flex: 1 1 16rem; }
select { max-width: 100%; }
article { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--edge); border-radius: .6rem;
  margin: .75rem 0; padding: .9rem 1.1rem; display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 22rem); gap: .5rem 1.5rem;
  content-visibility: auto; contain-intrinsic-size: auto 12rem; }
article[data-severity=error] { --edge: var(--error); } article[data-severity=warning] { --edge: var(--warning); }
article[data-severity=info] { --edge: var(--info); } article:not([data-status=new]) { opacity: .7; }
article p { margin: .35rem 0; overflow-wrap: anywhere; } article svg { width: 100%; height: auto; align-self: center; }
article pre { margin: .35rem 0 0; padding: .5rem .7rem; background: var(--code); border-radius: .4rem; overflow-x: auto; }
[hidden] { display: none !important; }
table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
th, td { text-align: left; padding: .4rem .8rem; border-top: 1px solid var(--line); } thead th { border-top: 0; }
td:last-child, th:last-child { text-align: right; font-variant-numeric: tabular-nums; }
svg rect { fill: var(--code); stroke: var(--soft); } svg .gone { stroke: var(--error); stroke-dasharray: 5 4; fill: none; }
svg .self { stroke: var(--info); stroke-width: 2; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg .small { fill: var(--soft); font-size: 11px; } svg path { stroke: var(--soft); fill: none; }
svg .broken { stroke: var(--error); stroke-dasharray: 5 4; } svg .tip { fill: var(--soft); stroke: none; }
@media (max-width: 50rem) { article { grid-template-columns: minmax(0, 1fr); } article svg { max-width: 22rem; } form { position: static; } }
@media print { :root { color-scheme: light; } form { display: none; } article { break-inside: avoid; content-visibility: visible; } body { background: none; } }
`;

/** Shows the findings that the form asks for. Without it everything is shown. */
const auditHtmlScript = `
const form = document.querySelector('form');
const articles = [...document.querySelectorAll('article')];
const shown = document.querySelector('#shown');
function filter() {
  const asked = new FormData(form);
  const words = asked.get('text').toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const article of articles) {
    const { severity, rule, status } = article.dataset;
    const text = article.textContent.toLowerCase();
    const fits = (asked.get('severity') === '' || asked.get('severity') === severity)
      && (asked.get('rule') === '' || asked.get('rule') === rule)
      && (asked.get('status') === '' || asked.get('status') === status)
      && words.every((word) => text.includes(word));
    article.hidden = !fits;
    if (fits) count += 1;
  }
  shown.textContent = count === articles.length ? count + ' findings' : count + ' of ' + articles.length + ' findings';
}
form.hidden = false;
form.addEventListener('input', filter);
form.addEventListener('submit', (event) => event.preventDefault());
filter();
`;

/** A box of the drawing. */
interface Box {
  readonly title: string;
  readonly note: string;
  readonly look: 'there' | 'gone' | 'self';
}

const width = 340;
const height = 46;
const gap = 46;
const longest = 44;
const mostRelated = 4;

/**
 * The ownership around a finding: the owner that the reference names, the objects that exist, and
 * the object itself.
 */
function ownershipPicture(item: AuditItem): string {
  const { object, reference, related } = item;
  const self: Box = { title: labelOf(object), note: 'this object', look: 'self' };
  const others = related.slice(0, mostRelated).map(
    (one): Box => ({
      title: labelOf(one),
      note: relationOf(one, item),
      look: 'there',
    }),
  );
  const more = related.length - others.length;
  if (more > 0) others.push({ title: `${more} more`, note: 'see -o json', look: 'there' });
  const isThere =
    reference && related.some((one) => isNamed(one, item) && one.uid === reference.uid);
  const named: Box[] =
    reference && !isThere
      ? [
          {
            title: `${reference.kind}/${reference.name}`,
            note: `named as the owner, uid ${reference.uid}`,
            look: 'gone',
          },
        ]
      : [];
  const boxes = [...named, ...others, self];
  const total = boxes.length * (height + gap) - gap + 4;
  const edges = boxes.slice(0, -1).map((box, index) => edgeOf(box, index, boxes.length));
  return [
    `<svg viewBox="0 0 ${width} ${total}" role="img" aria-label="${escaped(`Ownership around ${self.title}`)}">`,
    ...edges,
    ...boxes.map(drawn),
    '</svg>',
  ].join('');
}

function labelOf({ kind, namespace, name }: Omit<ObjectReference, 'apiVersion' | 'uid'>): string {
  return `${kind}/${name}${namespace === '' ? '' : ` in ${namespace}`}`;
}

function isNamed({ kind, name }: ObjectReference, { reference }: AuditItem): boolean {
  return kind === reference?.kind && name === reference.name;
}

function relationOf(one: ObjectReference, item: AuditItem): string {
  const { reference } = item;
  if (!reference) return 'related';
  if (one.uid === reference.uid)
    return isNamed(one, item) ? 'its owner' : 'has the uid of the reference';
  return isNamed(one, item) ? 'has the name, and another uid' : 'related';
}

function topOf(index: number): number {
  return 2 + index * (height + gap);
}

/** From the object, which is the last box, up to the one that it names: straight to its neighbour, else around. */
function edgeOf({ look }: Box, index: number, count: number): string {
  const from = topOf(count - 1);
  const to = topOf(index) + height;
  const broken = look === 'gone' ? ' class="broken"' : '';
  const isNext = index === count - 2;
  const right = width - 3 - 9 * index;
  const line = isNext
    ? `M${width / 2} ${from}V${to + 6}`
    : `M${width - 40} ${from}V${from - 14}H${right}V${to - height / 2}H${width - 22}`;
  const tip = isNext ? `M${width / 2} ${to}l-4 8h8z` : `M${width - 30} ${to - height / 2}l8 -4v8z`;
  return `<path${broken} d="${line}"/><path class="tip" d="${tip}"/>`;
}

function drawn({ title, note, look }: Box, index: number): string {
  const y = topOf(index);
  const text = (at: number, words: string, small = '') =>
    `<text x="12" y="${y + at}"${small}>${escaped(cut(words))}</text>`;
  const named = `<title>${escaped(title)}</title>`;
  const box = `<rect class="${look}" x="2" y="${y}" width="${width - 32}" height="${height}" rx="6"/>`;
  return `<g>${named}${box}${text(19, title)}${text(36, note, ' class="small"')}</g>`;
}

function cut(text: string): string {
  const chars = [...text];
  return chars.length <= longest ? text : `${chars.slice(0, longest - 1).join('')}…`;
}
