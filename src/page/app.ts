import { isPlaying, type PageData, type PageState, statesAt } from '../output/pages/page-data.ts';
import {
  type Folding,
  firstFolding,
  foldedForest,
  groupStep,
  type PictureItem,
  revealed,
  wideOpen,
  withKindFolded,
} from '../output/pictures/fold-forest.ts';
import { type Forest, forestOf } from '../output/pictures/forest.ts';
import { listed, type Placed, placed } from '../output/pictures/place-items.ts';
import { html } from './make-element.ts';
import { moveOf } from './move.ts';
import { ObjectPanel } from './object-panel.ts';
import { Picture } from './picture.ts';
import { Player } from './player.ts';
import { RowTable } from './row-table.ts';
import { matchesOf } from './search.ts';
import { showHead } from './show-head.ts';
import { Timeline } from './timeline.ts';
import { Toolbar } from './toolbar.ts';
import {
  fits,
  fitted,
  fitting,
  followPointer,
  keptInSight,
  panned,
  roomIn,
  showing,
  type Viewport,
  zoomed,
} from './viewport.ts';

/** How long what is new in a served page stands out. */
const freshFor = 3000;

/** The page: all that it shows follows from its data and from what its reader opened, chose and searched for. */
export class App {
  #data: PageData;
  #forest: Forest;
  #folding: Folding;
  #placed: Placed;
  /** All boxes as a tree, which is drawn where it can be read. */
  #tree: Placed;
  #viewport: Viewport | undefined;
  #selected: string | undefined;
  #search = '';
  #frame = 0;
  #fresh: ReadonlySet<string> = new Set();
  #freshTimer = 0;
  #frameRequest = 0;
  #states: readonly ReadonlyMap<string, PageState>[] = [];
  #found: ReadonlySet<string> | undefined;
  readonly #pictures: Picture[] = [];
  readonly #figures = html('div', { class: 'figures' });
  readonly #stage = html('div', { class: 'stage' }, this.#figures);
  readonly #toolbar: Toolbar;
  readonly #player: Player;
  readonly #panel: ObjectPanel;
  readonly #timeline: Timeline;
  readonly #table: RowTable;

  constructor(data: PageData, into: HTMLElement, rows: HTMLElement) {
    const select = (id: string) => this.select(id);
    this.#data = data;
    this.#toolbar = new Toolbar({
      search: (text) => this.#searchFor(text),
      select,
      zoom: (by) => this.#zoom(by),
      fit: () => this.#move((_, size) => fitted(this.#placed, size)),
      fold: (kind, isFolded) => this.#fold(withKindFolded(this.#folding, kind, isFolded)),
      openAll: () => this.#fold(wideOpen(this.#forest)),
      closeAll: () => this.#fold(firstFolding(this.#forest, 0)),
    });
    this.#player = new Player((frame) => this.#showFrame(frame));
    this.#panel = new ObjectPanel(select);
    this.#timeline = new Timeline(select);
    this.#table = new RowTable(rows, into, select);
    this.#forest = forestOf(data);
    this.#selected = this.#forest.roots[0]?.object.id;
    this.#folding = firstFolding(this.#forest);
    this.#tree = placed(foldedForest(this.#forest, this.#folding), this.#forest);
    this.#placed = this.#tree;
    const side = html('div', { class: 'side' }, this.#panel.element);
    this.#stage.append(side);
    into.replaceChildren(
      this.#timeline.element,
      this.#toolbar.element,
      this.#player.element,
      this.#stage,
      this.#toolbar.legend,
    );
    into.hidden = false;
    this.#show(data);
    new ResizeObserver(() => this.#resize()).observe(this.#figures);
  }

  /** Shows other data in place of the last: selection, folds, search and zoom stay. */
  replace(data: PageData): void {
    const before = new Map(this.#data.objects.map((object) => [object.id, JSON.stringify(object)]));
    const fresh = data.objects.filter((object) => before.get(object.id) !== JSON.stringify(object));
    // Where a reader asks for something else, all would stand out.
    this.#fresh = new Set(data.live ? fresh.map(({ id }) => id) : []);
    clearTimeout(this.#freshTimer);
    this.#freshTimer = window.setTimeout(() => {
      this.#fresh = new Set();
      this.#request();
    }, freshFor);
    this.#forest = forestOf(data);
    this.#show(data);
  }

  select(id: string): void {
    this.#folding = revealed(this.#forest, this.#folding, id);
    this.#layOut();
    this.#go(id);
  }

  #show(data: PageData): void {
    this.#data = data;
    showHead(data);
    while (this.#pictures.length < data.views.length) this.#addPicture();
    for (const extra of this.#pictures.splice(data.views.length)) extra.figure.remove();
    this.#pictures.forEach((picture, index) => {
      const title = data.views[index]?.title ?? data.title;
      picture.name(this.#pictures.length > 1 ? title : '', title);
    });
    this.#stage.classList.toggle('bare', data.views.length === 0);
    this.#stage.hidden = data.objects.length === 0;
    this.#toolbar.show(data, this.#folding.kinds);
    this.#timeline.show(data);
    const frames = data.views[0]?.frames ?? [];
    this.#frame = Math.min(this.#frame, Math.max(0, frames.length - 1));
    this.#player.show(isPlaying(data) ? frames : [], this.#frame);
    this.#showFrame(this.#frame);
    this.#searchFor(this.#search);
    this.#tellSelected();
  }

  #addPicture(): void {
    const picture = new Picture({
      select: (item) => this.#choose(item),
      toggle: (item) => this.#toggle(item),
      key: (event) => this.#key(event),
    });
    followPointer(picture.svg, {
      pan: (by) => this.#move((viewport) => panned(viewport, by)),
      zoom: (by, at) => this.#move((viewport) => zoomed(viewport, by, at)),
    });
    this.#pictures.push(picture);
    this.#figures.append(picture.figure);
  }

  #showFrame(frame: number): void {
    this.#frame = frame;
    this.#states = this.#data.views.map((view) => statesAt(this.#data, view, frame));
    this.#layOut();
    this.#tellSelected();
  }

  #searchFor(text: string): void {
    this.#search = text;
    const matches = matchesOf(this.#data, text);
    this.#toolbar.showMatches(matches, text);
    this.#table.show(this.#data, matches, this.#forest);
    this.#found = matches && new Set(matches.map(({ id }) => id));
    this.#request();
  }

  #choose(item: PictureItem): void {
    this.#selected = item.key;
    this.#request();
    this.#tellSelected();
  }

  #toggle({ key, branch, group }: PictureItem): void {
    const { kinds } = this.#folding;
    const closed = new Set(this.#folding.closed);
    const opened = new Map(this.#folding.opened);
    if (group) opened.set(key, (opened.get(key) ?? 0) + groupStep);
    else if (branch && !closed.delete(key)) closed.add(key);
    this.#fold({ closed, kinds, opened });
  }

  #fold(folding: Folding): void {
    this.#folding = folding;
    this.#toolbar.show(this.#data, folding.kinds);
    this.#layOut();
  }

  #layOut(): void {
    this.#placed = this.#places();
    this.#request();
  }

  /** A tree that still fits stays as it is. */
  #resize(): void {
    if (this.#placed === this.#tree && fits(this.#tree, this.#size())) this.#request();
    else this.#layOut();
  }

  /** A tree where it can be read beside its roots, else a list. */
  #places(): Placed {
    const items = foldedForest(this.#forest, this.#folding);
    const size = this.#size();
    this.#tree = placed(items, this.#forest);
    return fits(this.#tree, size) ? this.#tree : listed(items, this.#forest, roomIn(size));
  }

  #zoom(by: number): void {
    this.#move((viewport, { width, height }) =>
      zoomed(viewport, by, { x: width / 2, y: height / 2 }),
    );
  }

  #key(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return;
    const at = this.#placed.items.find(({ item }) => item.key === this.#selected);
    if (key === '+' || key === '=') this.#zoom(1.25);
    else if (key === '-') this.#zoom(0.8);
    else if (key === '0') this.#move((_, size) => fitted(this.#placed, size));
    else if (at && (key === 'Enter' || key === ' ')) this.#toggle(at.item);
    else {
      const next = moveOf(key, this.#placed, at);
      if (next === 'open' && at) this.#toggle(at.item);
      else if (typeof next === 'object') this.#go(next.item.key);
      else if (next === undefined) return;
    }
    event.preventDefault();
  }

  /** The keyboard reaches groups, too: their key is selected. */
  #go(key: string): void {
    this.#selected = key;
    const place = this.#placed.items.find(({ item }) => item.key === key);
    if (place) this.#move((viewport, size) => showing(viewport, place, size));
    this.#tellSelected();
  }

  #tellSelected(): void {
    const state = this.#states.map((states) => states.get(this.#selected ?? ''));
    this.#panel.show(this.#data, this.#selected, state);
  }

  #move(to: (viewport: Viewport, size: { width: number; height: number }) => Viewport): void {
    const size = this.#size();
    const next = to(this.#viewport ?? fitting(this.#placed, size), size);
    this.#viewport = keptInSight(next, this.#placed, size);
    this.#request();
  }

  #size(): { width: number; height: number } {
    const { clientWidth = 0, clientHeight = 0 } = this.#pictures[0]?.svg ?? {};
    return { width: clientWidth, height: clientHeight };
  }

  #request(): void {
    cancelAnimationFrame(this.#frameRequest);
    this.#frameRequest = requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    const found =
      this.#found && new Set(this.#placed.items.flatMap(({ item }) => this.#isFound(item)));
    const viewport = this.#viewport ?? fitting(this.#placed, this.#size());
    this.#pictures.forEach((picture, index) => {
      const states = this.#states[index];
      const scene = {
        placed: this.#placed,
        stateOf: (id: string): PageState => states?.get(id) ?? unknownState,
        selected: this.#selected,
        found,
        fresh: this.#fresh,
      };
      picture.draw(scene, viewport);
    });
  }

  /** An item is found with what it hides. */
  #isFound({ key, branch, hidden }: PictureItem): string[] {
    const found = this.#found;
    const all = branch ? [branch, ...hidden] : hidden;
    return all.some(({ object }) => found?.has(object.id)) ? [key] : [];
  }
}

const unknownState: PageState = { mark: 'unknown', words: '' };
