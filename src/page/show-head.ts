import type { PageData } from '../output/pages/page-data.ts';
import { printable } from '../output/printable.ts';
import { html } from './make-element.ts';

/** What stands above and below the picture; the first time it is there already. */
export function showHead({ title, at, figure, summary, gaps, notice = '' }: PageData): void {
  document.title = printable(title);
  setContent('h1', [printable(title)]);
  setContent('#at', [at]);
  setContent('#notice', [printable(notice)]);
  setContent('#figure', figure ? [html('b', {}, figure.value), ` ${figure.words}`] : []);
  show('#figure', figure !== undefined);
  setContent(
    '#summary',
    summary.map((line) => html('p', {}, printable(line))),
  );
  setContent(
    '#gaps ul',
    gaps.map((gap) => html('li', {}, printable(gap))),
  );
  show('#gaps', gaps.length > 0);
}

function show(selector: string, isShown: boolean): void {
  const element = document.querySelector<HTMLElement>(selector);
  if (element) element.hidden = !isShown;
}

function setContent(selector: string, content: readonly (Node | string)[]): void {
  document.querySelector(selector)?.replaceChildren(...content);
}
