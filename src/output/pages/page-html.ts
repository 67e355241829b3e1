import { escapeMarkup as escaped, jsonText } from '../printable.ts';
import type { PageData } from './page-data.ts';
import { type PageProgram, pageProgram } from './page-program.ts';
import { tableHtml } from './page-table.ts';

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
  const { title, at, summary, gaps } = data;
  const lines = summary.map((line) => `<p>${escaped(line)}</p>\n`).join('');
  const unread = gaps.map((gap) => `<li>${escaped(gap)}</li>\n`).join('');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentPolicyOf(data)}">
<title>${escaped(title)}</title>
${pageProgram ? `<style>${pageProgram.style}</style>\n` : ''}<main>
<div class="screen">
<header>
<h1>${escaped(title)}</h1>
<p class="soft"><output id="live"></output> Read at <time id="at">${escaped(at)}</time>. <output id="notice"></output></p>
<div id="summary" tabindex="0">
${lines}</div>
</header>
<div id="app" hidden></div>
</div>
<section id="gaps"${gaps.length === 0 ? ' hidden' : ''} aria-labelledby="gaps-title">
<h2 id="gaps-title">Not read</h2>
<ul>
${unread}</ul>
</section>
<section id="table" aria-labelledby="table-title">
<h2 id="table-title">As a table</h2>
<div id="rows">
${tableHtml(data)}
</div>
</section>
</main>
<script type="application/json" id="data">${jsonText(data).replaceAll('<', '\\u003c')}</script>
${pageProgram ? `<script>${pageProgram.script}</script>\n` : ''}</html>
`;
}
