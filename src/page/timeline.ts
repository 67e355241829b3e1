import type { PageData } from '../output/pages/page-data.ts';
import { html } from './make-element.ts';

/** A lane for each controller. */
export class Timeline {
  readonly element = html('section', { class: 'timeline', hidden: true });
  readonly #select: (id: string) => void;

  constructor(select: (id: string) => void) {
    this.#select = select;
  }

  show({ timeline }: PageData): void {
    this.element.hidden = !timeline;
    if (!timeline) return;
    this.#select('');
  }
}
