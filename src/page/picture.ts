import type { PageState } from '../output/pages/page-data.ts';
import type { PictureItem } from '../output/pictures/fold-forest.ts';
import { itemTexts } from '../output/pictures/item-texts.ts';
import {
  boxHeight,
  boxWidth,
  type Placed,
  type PlacedItem,
  type PlacedLine,
} from '../output/pictures/place-items.ts';
import { boxParts, spokenLabel } from './draw-box.ts';
import { html, setAttribute, svg } from './make-element.ts';
import type { Viewport } from './viewport.ts';

/** What a picture shows. */
export interface Scene {
  readonly placed: Placed;
  readonly stateOf: (id: string) => PageState;
  readonly selected: string | undefined;
  /** Keys of the items that a search found; undefined without a search. */
  readonly found: ReadonlySet<string> | undefined;
  /** Ids of objects that are new, or stand otherwise than before. */
  readonly fresh: ReadonlySet<string>;
}

export interface PictureActs {
  select(item: PictureItem): void;
  toggle(item: PictureItem): void;
  key(event: KeyboardEvent): void;
}

/** With more boxes than this in sight they are drawn without words. */
const mostInDetail = 1200;
/** Below this scale words cannot be read. */
const smallestText = 0.4;

let pictures = 0;

/** The graph, drawn. Only what is in sight is in the document. */
export class Picture {
  readonly figure: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly #title: HTMLElement;
  readonly #layer = svg('g', { role: 'none' });
  readonly #lines = svg('g', { class: 'lines', 'aria-hidden': 'true' });
  readonly #boxes = svg('g', { role: 'none' });
  readonly #drawn = new Map<string, { readonly group: SVGGElement; look: string }>();
  readonly #id = `picture-${++pictures}`;
  #items = new Map<string, PictureItem>();
  #count = 0;

  constructor(acts: PictureActs) {
    this.svg = svg('svg', { tabindex: 0, class: 'picture', id: this.#id });
    this.#layer.append(this.#lines, this.#boxes);
    this.svg.append(this.#layer);
    this.#title = html('figcaption');
    this.figure = html('figure', {}, this.#title, this.svg);
    this.svg.addEventListener('click', (event) => {
      const target = event.target as Element;
      const item = this.#items.get(target.closest('[data-key]')?.getAttribute('data-key') ?? '');
      if (!item) return;
      if (target.closest('.toggle') || item.group) acts.toggle(item);
      else acts.select(item);
    });
    this.svg.addEventListener('dblclick', (event) => {
      const key = (event.target as Element).closest('[data-key]')?.getAttribute('data-key');
      const item = this.#items.get(key ?? '');
      if (item && !item.group) acts.toggle(item);
    });
    this.svg.addEventListener('keydown', (event) => acts.key(event));
  }

  name(title: string, label: string): void {
    this.#title.textContent = title;
    this.#title.hidden = title === '';
    this.svg.setAttribute('aria-label', label);
  }

  draw(scene: Scene, viewport: Viewport): void {
    const { x, y, scale } = viewport;
    this.#layer.setAttribute('transform', `translate(${x} ${y}) scale(${scale})`);
    const { clientWidth, clientHeight } = this.svg;
    const inSight = scene.placed.items.filter((place) => {
      const [left, top] = [place.x * scale + x, place.y * scale + y];
      const isLeft = left > clientWidth || left + boxWidth * scale < 0;
      return !isLeft && top <= clientHeight && top + boxHeight * scale >= 0;
    });
    const isFar = inSight.length > mostInDetail;
    this.svg.classList.toggle('far', isFar || scale < smallestText);
    setAttribute(this.svg, 'role', isFar || inSight.length === 0 ? 'img' : 'tree');
    this.#drawLines(scene.placed.lines, scene, viewport);
    if (isFar) this.#drawFar(inSight, scene);
    else this.#drawBoxes(inSight, scene);
  }

  #drawBoxes(inSight: readonly PlacedItem[], scene: Scene): void {
    this.#boxes.querySelectorAll('.spots').forEach((spots) => void spots.remove());
    this.#items = new Map(inSight.map(({ item }) => [item.key, item]));
    for (const [key, { group }] of this.#drawn) {
      if (this.#items.has(key)) continue;
      group.remove();
      this.#drawn.delete(key);
    }
    for (const place of inSight) this.#drawBox(place, scene);
    const active = scene.selected && this.#drawn.get(scene.selected);
    setAttribute(this.svg, 'aria-activedescendant', active ? active.group.id : undefined);
  }

  #drawBox({ item, x, y, depth }: PlacedItem, { stateOf, selected, found, fresh }: Scene): void {
    const { key, branch, hidden, children } = item;
    const isGroup = item.group !== undefined;
    const { mark } = itemTexts(item, stateOf);
    const isFound = found?.has(key);
    const classes = [
      `item mark-${mark}`,
      isGroup ? 'group' : '',
      found && !isFound ? 'faint' : '',
      isFound ? 'found' : '',
      fresh.has(key) ? 'fresh' : '',
    ];
    const all = isGroup || hidden.length > 0 ? hidden : [];
    const states = all.map(({ object }) => stateOf(object.id).mark).join();
    const words = branch ? stateOf(branch.object.id).words : '';
    const look = `${words} ${mark} ${hidden.length} ${children.length} ${states}`;
    let drawn = this.#drawn.get(key);
    if (!drawn) {
      const group = svg('g', {
        role: 'treeitem',
        id: `${this.#id}-${++this.#count}`,
        'data-key': key,
      });
      drawn = { group, look: '' };
      this.#drawn.set(key, drawn);
      this.#boxes.append(group);
    }
    const { group } = drawn;
    if (drawn.look !== look) group.replaceChildren(...boxParts(item, stateOf));
    drawn.look = look;
    setAttribute(group, 'class', classes.filter((name) => name !== '').join(' '));
    setAttribute(group, 'transform', `translate(${x} ${y})`);
    setAttribute(group, 'aria-level', depth + 1);
    setAttribute(group, 'aria-selected', key === selected ? 'true' : 'false');
    setAttribute(group, 'aria-label', spokenLabel(item, stateOf));
    const canOpen = hidden.length > 0 ? 'false' : children.length > 0 ? 'true' : undefined;
    setAttribute(group, 'aria-expanded', canOpen);
  }

  /** From afar: one path for each mark. */
  #drawFar(inSight: readonly PlacedItem[], { stateOf }: Scene): void {
    this.#boxes.replaceChildren();
    this.#drawn.clear();
    this.#items.clear();
    const byMark = Map.groupBy(inSight, ({ item: { branch } }) =>
      branch ? stateOf(branch.object.id).mark : 'group',
    );
    for (const [mark, places] of byMark) {
      const d = places.map(({ x, y }) => `M${x} ${y}h${boxWidth}v${boxHeight}h-${boxWidth}z`);
      this.#boxes.append(svg('path', { class: `spots mark-${mark}`, d: d.join('') }));
    }
  }

  #drawLines(lines: readonly PlacedLine[], { stateOf }: Scene, viewport: Viewport): void {
    const { y, scale } = viewport;
    const [top, bottom] = [-y / scale, (this.svg.clientHeight - y) / scale];
    const isNear = ({ top: from, bottom: to }: PlacedLine) => from <= bottom && to >= top;
    const near = lines.filter(isNear);
    const looks = Map.groupBy(near, ({ reference, isAcross }) => {
      const isGone = [reference.owner, reference.dependent].some(
        (id) => stateOf(id).mark === 'gone',
      );
      const across = isAcross ? ' across' : '';
      return `line ${reference.class}${reference.blocks ? ' blocks' : ''}${across}${isGone ? ' ended' : ''}`;
    });
    const paths = [...looks].map(([look, alike]) =>
      svg('path', { class: look, d: alike.map(({ path }) => path).join('') }),
    );
    const labelled = near
      .filter(({ reference }) => !silent.has(reference.class))
      .slice(0, mostInDetail);
    const words = labelled.map(({ x, y: middle, reference }) =>
      svg('text', { class: `words ${reference.class}`, x, y: middle - 3 }, reference.class),
    );
    this.#lines.replaceChildren(...paths, ...words);
  }
}

/** The usual case needs no words; nor does what the box of the owner says, in a word that is wider than the line. */
const silent: ReadonlySet<string> = new Set(['solid', 'contains', 'leads', 'unresolvable']);
