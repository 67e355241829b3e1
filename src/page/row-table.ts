import {
  columnsOf,
  type PageData,
  type PageObject,
  type PageRow,
  type PageState,
  statesAt,
  titleOf,
} from '../output/pages/page-data.ts';
import type { Forest } from '../output/pictures/forest.ts';
import { printable } from '../output/printable.ts';
import { button, html } from './make-element.ts';
import { breakable, signOf, textParts } from './text-parts.ts';

/** A text with so few characters is one line. */
const shortest = 16;

/** So many rows at first, and so many more with each press. */
const step = 200;

/** The rows: what was searched for, a part at a time. Below the picture, or above it where the data says so. */
export class RowTable {
  readonly #into: HTMLElement;
  readonly #app: HTMLElement;
  readonly #select: (id: string) => void;
  #most = step;

  constructor(into: HTMLElement, app: HTMLElement, select: (id: string) => void) {
    this.#into = into;
    this.#app = app;
    this.#select = select;
  }

  show(data: PageData, matches: readonly PageObject[] | undefined, forest: Forest): void {
    this.#place(data.first !== undefined);
    const found = matches && new Set(matches.map(({ id }) => id));
    const depths = data.first === 'outline' ? depthsIn(forest) : undefined;
    const all = data.table.rows.filter(({ object }) => !found || found.has(object));
    const places = depths && new Map([...depths.keys()].map((id, at) => [id, at]));
    const ordered = places
      ? all.toSorted((a, b) => (places.get(a.object) ?? 0) - (places.get(b.object) ?? 0))
      : all;
    const shown = ordered.slice(0, this.#most);
    const objects = new Map(data.objects.map((object) => [object.id, object]));
    const views = data.views.length > 1 ? data.views.map((view) => statesAt(data, view, 0)) : [];
    const { columns, common } = columnsIn(data, objects, views);
    const titles = ['Object', ...columns.map(({ title }) => title)];
    const head = titles.map((title) => html('th', { scope: 'col' }, title));
    const rows = shown.map((row) =>
      this.#row(row, objects.get(row.object), columns, depths?.get(row.object) ?? 0),
    );
    const table = html(
      'table',
      {},
      html('thead', {}, html('tr', {}, ...head)),
      html('tbody', {}, ...rows),
    );
    const counts = all.length === data.table.rows.length ? '' : ` of ${data.table.rows.length}`;
    const summary = [`${all.length}${counts} rows`, ...common].join(' · ');
    const note = html('p', { class: 'soft note' }, printable(summary));
    const more = button(`Show ${Math.min(step, all.length - shown.length)} more rows`, {}, () => {
      this.#most += step;
      this.show(data, matches, forest);
    });
    this.#into.replaceChildren(note, table, ...(all.length > shown.length ? [more] : []));
  }

  #place(isFirst: boolean): void {
    const section = this.#into.closest('section');
    const screen = this.#app.parentElement;
    if (!section || !screen || screen.classList.contains('rows-first') === isFirst) return;
    screen.classList.toggle('rows-first', isFirst);
    if (isFirst) screen.insertBefore(section, this.#app);
    else document.querySelector('main')?.append(section);
    // A search finds rows and boxes: it stands above what comes first.
    const search = document.querySelector('.searching');
    if (search) (isFirst ? section : document.querySelector('.toolbar'))?.prepend(search);
  }

  #row(
    row: PageRow,
    object: PageObject | undefined,
    columns: readonly ShownColumn[],
    depth: number,
  ): HTMLElement {
    if (!object) return html('tr');
    const { id } = object;
    const name = button('', { class: 'link' }, () => {
      this.#select(id);
      this.#app.scrollIntoView({ block: 'nearest' });
    });
    name.append(...breakable(titleOf(object)));
    const texts = columns.map(({ title, textOf, states }) => {
      const text = textOf(row);
      const state = states?.get(id);
      // On a phone, where a cell is a line, it says what it is.
      const look = { 'data-title': title, class: text.length <= shortest ? 'short' : undefined };
      return html('td', look, ...(state ? stateParts(state, text) : textParts(title, text)));
    });
    const head = html(
      'th',
      { scope: 'row', class: `depth-${Math.min(depth, deepestIndent)}` },
      name,
    );
    return html('tr', {}, head, ...texts);
  }
}

interface ShownColumn {
  readonly title: string;
  readonly textOf: (row: PageRow) => string;
  /** How objects stand in a picture, where there are several and the column is about one of them. */
  readonly states?: ReadonlyMap<string, PageState> | undefined;
}

/** The columns that distinguish rows, and what is the same in all of several rows. */
function columnsIn(
  data: PageData,
  objects: ReadonlyMap<string, PageObject>,
  views: readonly ReadonlyMap<string, PageState>[],
): { readonly columns: readonly ShownColumn[]; readonly common: readonly string[] } {
  const { rows } = data.table;
  const common: string[] = [];
  const [, ...titles] = columnsOf(data);
  const all = titles.map((title, at): ShownColumn => {
    const textOf = ({ object, cells }: PageRow) =>
      (at === 0 ? objects.get(object)?.namespace : cells[at - 1]) ?? '';
    return { title, textOf, states: views[at - 1] };
  });
  const columns = all.filter(({ title, textOf, states }) => {
    const [first, ...others] = new Set(rows.map(textOf));
    const isSame = rows.length > 1 && others.length === 0 && states === undefined;
    if (isSame && first) common.push(`${title}: ${first}`);
    return !isSame;
  });
  return { columns, common };
}

/** Rows are indented so far. */
const deepestIndent = 6;

/** Objects in the order in which they are drawn, and how far below a root each of them is. */
function depthsIn({ roots }: Forest): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  const waiting = roots.map((branch) => ({ branch, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { branch, depth } = next;
    depths.set(branch.object.id, depth);
    for (const child of branch.children.toReversed())
      waiting.push({ branch: child, depth: depth + 1 });
  }
  return depths;
}

/** `✕ deleted`, and below it why. */
function stateParts({ mark, words }: PageState, text: string): HTMLElement[] {
  const because = text.startsWith(`${words}: `) ? text.slice(words.length + 2) : text;
  const verdict = html(
    'span',
    { class: `verdict mark-${mark}` },
    signOf(mark),
    printable(` ${words}`),
  );
  return [verdict, html('span', { class: 'soft because' }, printable(because))];
}
