import { countsByKind } from '../kube/counts-by-kind.ts';
import { markLooks } from '../output/pages/marks.ts';
import {
  type PageData,
  type PageLane,
  type PageObject,
  type PageTimeline,
  titleOf,
} from '../output/pages/page-data.ts';
import { binsOf, type TimeBin, ticksOf } from '../output/pictures/time-scale.ts';
import { printable } from '../output/printable.ts';
import { drawnWidth } from './draw-box.ts';
import { button, html, svg } from './make-element.ts';

const laneHeight = 30;
const headHeight = 22;
const right = 60;
/** Titles have a line of their own in a narrower window. */
const narrow = 640;
/** Words of ticks need so much room. */
const tickWidth = 36;
/** Objects of a bin that are listed. */
const mostListed = 100;

/** A lane for each controller, from now to the end. */
export class Timeline {
  readonly element = html('section', { class: 'timeline', hidden: true, 'aria-label': 'Timeline' });
  readonly #select: (id: string) => void;
  readonly #list = html('div', { class: 'moment-list', 'aria-live': 'polite' });
  #data: PageData | undefined;
  #width = 0;

  constructor(select: (id: string) => void) {
    this.#select = select;
    new ResizeObserver(() => {
      if (this.#data && this.element.clientWidth !== this.#width) this.show(this.#data);
    }).observe(this.element);
  }

  show(data: PageData): void {
    const { timeline, objects } = data;
    this.#data = data;
    this.element.hidden = !timeline;
    if (!timeline) return;
    this.#width = this.element.clientWidth;
    const byId = new Map(objects.map((object) => [object.id, object]));
    const { positionOf, width, head } = spaceIn(this.#width);
    const rows = packed(timeline, positionOf);
    const heights = rows.map(({ depth }) => head + depth * laneHeight);
    const height = headHeight + heights.reduce((sum, one) => sum + one, 0);
    const picture = svg('svg', {
      class: 'lanes',
      viewBox: `0 0 ${width} ${height}`,
      role: 'group',
      'aria-label': 'What each controller does, from now on',
    });
    let free = 0;
    for (const { at, words } of ticksOf(timeline)) {
      const x = positionOf(at);
      picture.append(svg('line', { class: 'tick', x1: x, x2: x, y1: headHeight - 6, y2: height }));
      if (x < free) continue;
      free = x + tickWidth;
      picture.append(svg('text', { class: 'tick-words', x, y: 12 }, words));
    }
    let top = headHeight;
    for (const [at, { lane, bins }] of rows.entries()) {
      picture.append(
        svg('line', { class: 'tick', x1: 0, x2: width, y1: top, y2: top }),
        svg('text', { class: 'lane-title', x: 6, y: top + 18 }, printable(lane.title)),
        ...bins.map((bin) => this.#bin(lane.title, bin, top + head, byId)),
      );
      top += heights[at] ?? 0;
    }
    const remarks = timeline.lanes.flatMap(({ title, remark }) =>
      remark ? [`${title}: ${remark}.`] : [],
    );
    const note = html('p', { class: 'soft' }, printable(remarks.join(' ')));
    this.#list.replaceChildren();
    this.element.replaceChildren(...(rows.length === 0 ? [] : [picture]), note, this.#list);
  }

  #bin(
    lane: string,
    bin: Drawn,
    top: number,
    objects: ReadonlyMap<string, PageObject>,
  ): SVGElement {
    const { moments, x, end, row, isOpen } = bin;
    const [first] = moments;
    const known = moments.flatMap(({ object }) => objects.get(object) ?? []);
    const [only] = known;
    const words = `${known.length === 1 && only ? titleOf(only) : countsByKind(known)}: ${first?.words ?? ''}`;
    const middle = top + row * laneHeight + laneHeight / 2;
    const group = svg(
      'g',
      {
        class: `bin mark-${first?.mark ?? 'plain'}${isOpen ? ' open' : ''}`,
        tabindex: 0,
        role: 'button',
        'aria-label': printable(`${lane}, ${words}, ${rangeWords(bin)}`),
      },
      svg('title', {}, printable(`${words}\n${rangeWords(bin)}`)),
      svg('rect', { class: 'span', x, y: middle - 9, width: end - x, height: 18, rx: 9 }),
      svg('path', {
        class: 'symbol',
        d: markLooks[first?.mark ?? 'plain'].symbol,
        transform: `translate(${x + 3} ${middle - 8})`,
      }),
      svg('text', { x: x + 23, y: middle + 4 }, moments.length > 1 ? `${moments.length}` : ''),
    );
    const open = () => this.#describe(lane, bin, known);
    group.addEventListener('click', open);
    group.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      open();
    });
    return group;
  }

  #describe(lane: string, bin: TimeBin, objects: readonly PageObject[]): void {
    const [only] = objects;
    if (objects.length === 1 && only) this.#select(only.id);
    const items = objects.slice(0, mostListed).map((object) => {
      const where = object.namespace === '' ? '' : ` in ${printable(object.namespace)}`;
      const choose = button(titleOf(object), { class: 'link' }, () => this.#select(object.id));
      return html('li', {}, choose, html('span', { class: 'soft' }, where));
    });
    const more = objects.length - items.length;
    if (more > 0) items.push(html('li', { class: 'soft' }, `${more} more: see the table`));
    const title = `${lane}, ${rangeWords(bin)}: ${bin.moments[0]?.words ?? ''}`;
    this.#list.replaceChildren(html('h3', {}, printable(title)), html('ul', {}, ...items));
  }
}

interface Drawn extends TimeBin {
  readonly x: number;
  readonly end: number;
  /** Within its lane, so that none lies on another. */
  readonly row: number;
}

interface LaneRow {
  readonly lane: PageLane;
  readonly bins: readonly Drawn[];
  readonly depth: number;
}

/** Where a moment stands, in pixels. */
type PositionOf = (at: number) => number;

/** Titles stand at the left of their lanes; in a narrow window above them, in lines of this height (`head`). */
function spaceIn(width: number) {
  const isNarrow = width < narrow;
  const left = isNarrow ? 20 : 230;
  const positionOf: PositionOf = (at) => left + at * (width - left - right);
  return { positionOf, width, head: isNarrow ? 22 : 0 };
}

/** None for a controller that does nothing: its remark says why. */
function packed(timeline: PageTimeline, positionOf: PositionOf): LaneRow[] {
  return timeline.lanes.flatMap((lane) => {
    if (lane.items.length === 0) return [];
    const ends: number[] = [];
    const bins = binsOf(lane.items, timeline)
      .sort((a, b) => a.from - b.from || b.to - a.to)
      .map((bin): Drawn => {
        const x = positionOf(bin.from);
        const count = bin.moments.length > 1 ? `${bin.moments.length}` : '';
        const end = Math.max(x + 30 + drawnWidth(count, 12), positionOf(bin.to));
        const free = ends.findIndex((taken) => taken < x);
        const row = free < 0 ? ends.length : free;
        ends[row] = end + 2;
        return { ...bin, x, end, row };
      });
    return [{ lane, bins, depth: ends.length }];
  });
}

/** `from 2026-… to 2026-…` */
function rangeWords({ moments }: TimeBin): string {
  const from = moments.map(({ notBefore }) => notBefore).sort()[0] ?? '';
  const ends = moments.flatMap(({ notAfter }) => notAfter ?? []).sort();
  const to = ends.length < moments.length ? 'an unknown time' : (ends.at(-1) ?? '');
  return from === to ? `at ${from}` : `from ${from} to ${to}`;
}
