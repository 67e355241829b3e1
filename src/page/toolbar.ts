import { kindCounts } from '../kube/counts-by-kind.ts';
import { type Mark, markLooks, marksInOrder } from '../output/pages/marks.ts';
import { type PageData, type PageObject, titleOf } from '../output/pages/page-data.ts';
import { printable } from '../output/printable.ts';
import { button, html } from './make-element.ts';
import { signOf } from './text-parts.ts';

interface ToolbarActs {
  search(text: string): void;
  select(id: string): void;
  zoom(by: number): void;
  fit(): void;
  fold(kind: string, isFolded: boolean): void;
  openAll(): void;
  closeAll(): void;
}

const mostHits = 8;

/** Search, zoom and folding, and what the marks mean. */
export class Toolbar {
  readonly element: HTMLElement;
  readonly legend = html('ul', { class: 'legend', 'aria-label': 'What the marks mean' });
  readonly #acts: ToolbarActs;
  readonly #search = html('input', {
    type: 'search',
    placeholder: 'Search: kind, name, namespace, words…',
    'aria-label': 'Search',
    autocomplete: 'off',
  });
  readonly #count = html('output', { class: 'soft' });
  readonly #hits = html('ul', { class: 'hits', hidden: true, 'aria-label': 'Found objects' });
  readonly #kinds = html('div', { class: 'kinds' });
  #matches: readonly PageObject[] = [];
  #next = 0;

  constructor(acts: ToolbarActs) {
    this.#acts = acts;
    this.#search.addEventListener('input', () => acts.search(this.#search.value));
    this.#search.addEventListener('keydown', (event) => {
      const match = this.#matches[this.#next % Math.max(1, this.#matches.length)];
      if (event.key !== 'Enter' || !match) return;
      event.preventDefault();
      this.#next++;
      acts.select(match.id);
    });
    this.element = html(
      'div',
      { class: 'toolbar', role: 'group', 'aria-label': 'Picture' },
      html('div', { class: 'searching', role: 'search' }, this.#search, this.#count, this.#hits),
      html(
        'div',
        { class: 'buttons' },
        button('−', { 'aria-label': 'Zoom out' }, () => acts.zoom(0.8)),
        button('+', { 'aria-label': 'Zoom in' }, () => acts.zoom(1.25)),
        button('Fit', { 'aria-label': 'Show the whole picture' }, () => acts.fit()),
        button('Open all', {}, () => acts.openAll()),
        button('Fold all', {}, () => acts.closeAll()),
      ),
      html('details', { class: 'folding' }, html('summary', {}, 'Fold kinds'), this.#kinds),
    );
  }

  show(data: PageData, folded: ReadonlySet<string>): void {
    this.element.hidden = data.views.length === 0;
    const boxes = kindCounts(data.objects.map(({ kind }) => kind)).map(([kind, count]) => {
      const box = html('input', { type: 'checkbox' });
      box.checked = folded.has(kind);
      box.addEventListener('change', () => this.#acts.fold(kind, box.checked));
      return html('label', {}, box, ` ${printable(kind)} (${count})`);
    });
    this.#kinds.replaceChildren(...boxes);
    this.legend.replaceChildren(
      ...marksIn(data).map((mark) =>
        legendItem(mark, data.legend?.[mark] ?? markLooks[mark].words),
      ),
    );
  }

  showMatches(matches: readonly PageObject[] | undefined, text: string): void {
    if (this.#search.value !== text) this.#search.value = text;
    this.#matches = matches ?? [];
    this.#next = 0;
    this.#count.textContent = matches ? `${matches.length} found` : '';
    this.#hits.hidden = !matches || matches.length === 0;
    const hits = this.#matches.slice(0, mostHits).map((object) => {
      const where = object.namespace === '' ? '' : ` in ${printable(object.namespace)}`;
      const found = button(titleOf(object), { class: 'link' }, () => this.#acts.select(object.id));
      return html('li', {}, found, html('span', { class: 'soft' }, where));
    });
    this.#hits.replaceChildren(...hits);
  }
}

function marksIn({ objects, views, timeline }: PageData): Mark[] {
  const states = [
    ...objects.map(({ state }) => state),
    ...views.flatMap(({ frames }) => frames.flatMap(({ changes }) => Object.values(changes))),
    ...(timeline?.lanes ?? []).flatMap(({ items }) => items),
  ];
  const used = new Set(states.map(({ mark }) => mark));
  return marksInOrder.filter((mark) => used.has(mark));
}

function legendItem(mark: Mark, words: string): HTMLElement {
  return html('li', {}, signOf(mark), ` ${words}`);
}
