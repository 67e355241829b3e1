import type { ObjectReference } from '../../kube/object-reference.ts';
import { escapeMarkup, printable } from '../printable.ts';
import type { PageData } from './page-data.ts';

/** `Pod/web-1` */
export function titleOf({ kind, name }: Pick<ObjectReference, 'kind' | 'name'>): string {
  return printable(`${kind}/${name}`);
}

/** The columns of a page's table. */
export function columnsOf({ table }: Pick<PageData, 'table'>): string[] {
  return ['Object', 'Namespace', ...table.columns];
}

/** All rows as HTML, for readers without JavaScript. */
export function tableHtml(data: PageData): string {
  const objects = new Map(data.objects.map((object) => [object.id, object]));
  const head = columnsOf(data).map((title) => `<th scope="col">${escapeMarkup(title)}</th>`);
  const rows = data.table.rows.map(({ object: id, cells }) => {
    const object = objects.get(id);
    if (!object) return '';
    const texts = [object.namespace, ...cells].map((text) => `<td>${escapeMarkup(text)}</td>`);
    return `<tr><th scope="row">${escapeMarkup(titleOf(object))}</th>${texts.join('')}</tr>\n`;
  });
  return `<table><thead><tr>${head.join('')}</tr></thead><tbody>\n${rows.join('')}</tbody></table>`;
}
