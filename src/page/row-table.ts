import {
  columnsOf,
  type PageData,
  type PageObject,
  type PageRow,
  titleOf,
} from '../output/pages/page-data.ts';
import { printable } from '../output/printable.ts';
import { button, html } from './make-element.ts';

/** So many rows at first, and so many more with each press. */
const step = 200;

/** The table below the picture: what was searched for, a part at a time. */
export class RowTable {
  readonly #into: HTMLElement;
  readonly #select: (id: string) => void;
  #most = step;

  constructor(into: HTMLElement, select: (id: string) => void) {
    this.#into = into;
    this.#select = select;
  }

  show(data: PageData, matches: readonly PageObject[] | undefined): void {
    const found = matches && new Set(matches.map(({ id }) => id));
    const all = data.table.rows.filter(({ object }) => !found || found.has(object));
    const shown = all.slice(0, this.#most);
    const objects = new Map(data.objects.map((object) => [object.id, object]));
    const head = columnsOf(data).map((title) => html('th', { scope: 'col' }, title));
    const rows = shown.map((row) => this.#row(row, objects.get(row.object)));
    const table = html(
      'table',
      {},
      html('thead', {}, html('tr', {}, ...head)),
      html('tbody', {}, ...rows),
    );
    const counts = all.length === data.table.rows.length ? '' : ` of ${data.table.rows.length}`;
    const note = html('p', { class: 'soft' }, `${all.length}${counts} rows`);
    const more = button(`Show ${Math.min(step, all.length - shown.length)} more rows`, {}, () => {
      this.#most += step;
      this.show(data, matches);
    });
    this.#into.replaceChildren(note, table, ...(all.length > shown.length ? [more] : []));
  }

  #row({ cells }: PageRow, object: PageObject | undefined): HTMLElement {
    if (!object) return html('tr');
    const { id, namespace } = object;
    const name = button(titleOf(object), { class: 'link' }, () => {
      this.#select(id);
      document.querySelector('#app')?.scrollIntoView({ block: 'nearest' });
    });
    return html(
      'tr',
      {},
      html('th', { scope: 'row' }, name),
      ...[namespace, ...cells].map((text) => html('td', {}, printable(text))),
    );
  }
}
