import {
  type PageData,
  type PageObject,
  type PageState,
  titleOf,
} from '../output/pages/page-data.ts';
import { printable } from '../output/printable.ts';
import { button, html } from './make-element.ts';
import { textParts } from './text-parts.ts';

type End = 'owner' | 'dependent';

/** Further references are counted. */
const mostReferences = 50;

/** The details of the selected object. */
export class ObjectPanel {
  readonly element = html('aside', {
    class: 'panel',
    'aria-label': 'Object',
    'aria-live': 'polite',
    tabindex: 0,
  });
  readonly #select: (id: string) => void;

  constructor(select: (id: string) => void) {
    this.#select = select;
  }

  show(data: PageData, id: string | undefined, states: readonly (PageState | undefined)[]): void {
    const object = data.objects.find((one) => one.id === id);
    if (!object) {
      this.element.replaceChildren(
        html('p', { class: 'soft' }, 'Choose an object to see its details. '),
      );
      return;
    }
    const { namespace, state, facts } = object;
    const verdicts = (states.length === 0 ? [state] : states).map((one, index) => {
      const title = states.length > 1 ? `${data.views[index]?.title ?? ''}: ` : '';
      const { mark, words } = one ?? state;
      return html('p', { class: `verdict mark-${mark}` }, printable(`${title}${words}`));
    });
    const list = html('dl');
    for (const [label, text] of facts) {
      list.append(html('dt', {}, label), html('dd', {}, ...textParts(label, text)));
    }
    this.element.replaceChildren(
      html('h2', {}, titleOf(object)),
      ...(namespace === '' ? [] : [html('p', { class: 'soft' }, `in ${printable(namespace)}`)]),
      ...verdicts,
      list,
      ...this.#references('Owners', data, object, 'dependent', 'owner'),
      ...this.#references('Dependents', data, object, 'owner', 'dependent'),
    );
  }

  #references(
    title: string,
    { objects, references: all }: PageData,
    { id }: PageObject,
    own: End,
    end: End,
  ): HTMLElement[] {
    const references = all.filter((one) => one[own] === id);
    if (references.length === 0) return [];
    const byId = new Map(objects.map((object) => [object.id, object]));
    const items = references.slice(0, mostReferences).map((reference) => {
      const other = byId.get(reference[end]);
      const look = reference.blocks ? `${reference.class}, blocks` : reference.class;
      return html(
        'li',
        {},
        button(other ? titleOf(other) : '', { class: 'link' }, () => this.#select(reference[end])),
        html('span', { class: `reference ${reference.class}` }, ` ${look}`),
        html('span', { class: 'soft because' }, printable(reference.because)),
      );
    });
    const more = references.length - items.length;
    if (more > 0) items.push(html('li', { class: 'soft' }, `${more} more`));
    return [html('h3', {}, title), html('ul', {}, ...items)];
  }
}
