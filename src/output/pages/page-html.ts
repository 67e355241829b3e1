import { jsonText } from '../../syntax/json-text.ts';
import { escapeMarkup as escaped } from '../printable.ts';
import { columnsOf, type PageData, titleOf } from './page-data.ts';
import { type PageProgram, pageProgram } from './page-program.ts';

/**
 * What a page may do: run its own program and style, which their digests name, and no other. Nothing is fetched;
 * only a page that is served listens to the server that it came from.
 */
export function contentPolicyOf(
  { live }: Pick<PageData, 'live'>,
  program: Pick<PageProgram, 'scriptDigest' | 'styleDigest'> | undefined = pageProgram,
): string {
  const { scriptDigest, styleDigest } = program ?? { scriptDigest: '', styleDigest: '' };
  const own = (digest: string) => (digest === '' ? `'none'` : `'${digest}'`);
  return [
    `default-src 'none'`,
    `script-src ${own(scriptDigest)}`,
    `style-src ${own(styleDigest)}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `require-trusted-types-for 'script'`,
    ...(live ? [`connect-src 'self'`] : []),
  ].join('; ');
}

/** One page that needs nothing else. Without JavaScript its table is what there is to see. */
export function pageHtml(data: PageData): string {
  const { title, at, figure, summary, gaps } = data;
  const lines = summary.map((line) => `<p>${escaped(line)}</p>\n`).join('');
  const json = jsonText(data).replaceAll('<', '\\u003c');
  return documentHtml({
    title,
    policy: contentPolicyOf(data),
    style: pageProgram?.style,
    screen: `<div class="screen">
<header>
<h1>${escaped(title)}</h1>
<p class="soft"><output id="live"></output> Read at <time id="at">${escaped(at)}</time>. <output id="notice"></output></p>
<p id="figure"${figure ? '' : ' hidden'}><b>${escaped(figure?.value ?? '')}</b> ${escaped(figure?.words ?? '')}</p>
<div id="summary" tabindex="0">
${lines}</div>
</header>
<div id="app" hidden></div>
</div>`,
    gaps,
    rows: `\n${tableHtml(data)}\n`,
    data: `<script type="application/json" id="data">${json}</script>\n`,
    script: pageProgram?.script,
  });
}

/** All rows as HTML, for readers without JavaScript. */
function tableHtml(data: PageData): string {
  const objects = new Map(data.objects.map((object) => [object.id, object]));
  const head = columnsOf(data).map((title) => `<th scope="col">${escaped(title)}</th>`);
  const rows = data.table.rows.map(({ object: id, cells }) => {
    const object = objects.get(id);
    if (!object) return '';
    const texts = [object.namespace, ...cells].map((text) => `<td>${escaped(text)}</td>`);
    return `<tr><th scope="row">${escaped(titleOf(object))}</th>${texts.join('')}</tr>\n`;
  });
  return `<table><thead><tr>${head.join('')}</tr></thead><tbody>\n${rows.join('')}</tbody></table>`;
}

/** What a page is made of; `screen`, `rows` and `data` are HTML. */
interface PageParts extends Pick<PageData, 'title'> {
  readonly policy: string;
  readonly style: string | undefined;
  readonly screen: string;
  readonly gaps?: PageData['gaps'];
  readonly rows: string;
  readonly data?: string;
  readonly script: string | undefined;
}

/** What the program of a page looks for in it, also where it makes the data itself. */
export function documentHtml(parts: PageParts): string {
  const { title, policy, style, screen, gaps = [], rows, data = '', script } = parts;
  const unread = gaps.map((gap) => `<li>${escaped(gap)}</li>\n`).join('');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escaped(title)}</title>
${style === undefined ? '' : `<style>${style}</style>\n`}<main>
${screen}
<section id="gaps"${gaps.length === 0 ? ' hidden' : ''} aria-labelledby="gaps-title">
<h2 id="gaps-title">Not read</h2>
<ul>
${unread}</ul>
</section>
<section id="table" aria-labelledby="table-title">
<h2 id="table-title">As a table</h2>
<div id="rows">${rows}</div>
</section>
</main>
${data}${script === undefined ? '' : `<script>${script}</script>\n`}</html>
`;
}
