import { countsByKind } from '../kube/counts-by-kind.ts';
import { markLooks } from '../output/pages/marks.ts';
import {
  type PageData,
  type PageLane,
  type PageObject,
  type PageTimeline,
  titleOf,
} from '../output/pages/page-data.ts';
import { cutText } from '../output/pictures/item-texts.ts';
import { binsOf, type TimeBin, ticksOf } from '../output/pictures/time-scale.ts';
import { printable } from '../output/printable.ts';
import { drawnWidth } from './draw-box.ts';
import { button, html, svg } from './make-element.ts';

const width = 1000;
const laneHeight = 30;
const headHeight = 22;
const [left, right] = [230, 20];
/** Objects of a bin that are listed. */
const mostListed = 100;

/** A lane for each controller, from now to the end. */
export class Timeline {
  readonly element = html('section', { class: 'timeline', hidden: true, 'aria-label': 'Timeline' });
  readonly #select: (id: string) => void;
  readonly #list = html('div', { class: 'moment-list', 'aria-live': 'polite' });

  constructor(select: (id: string) => void) {
    this.#select = select;
  }

  show({ timeline, objects }: PageData): void {
    this.element.hidden = !timeline;
    if (!timeline) return;
    const byId = new Map(objects.map((object) => [object.id, object]));
    const rows = packed(timeline);
    const height = headHeight + rows.reduce((sum, { depth }) => sum + depth, 0) * laneHeight + 6;
    const picture = svg('svg', {
      class: 'lanes',
      viewBox: `0 0 ${width} ${height}`,
      role: 'group',
      'aria-label': 'What each controller does, from now on',
    });
    for (const { at, words } of ticksOf(timeline)) {
      const x = positionOf(at);
      picture.append(
        svg('line', { class: 'tick', x1: x, x2: x, y1: headHeight - 6, y2: height }),
        svg('text', { class: 'tick-words', x, y: 12 }, words),
      );
    }
    let top = headHeight;
    for (const row of rows) {
      picture.append(...this.#lane(row, top, byId));
      top += row.depth * laneHeight;
    }
    this.#list.replaceChildren();
    this.element.replaceChildren(html('h2', {}, 'When'), picture, this.#list);
  }

  #lane({ lane, bins, depth }: LaneRow, top: number, objects: ReadonlyMap<string, PageObject>) {
    const { title, remark = '' } = lane;
    const parts: SVGElement[] = [
      svg('line', {
        class: 'tick',
        x1: 0,
        x2: width,
        y1: top + depth * laneHeight,
        y2: top + depth * laneHeight,
      }),
      svg('text', { class: 'lane-title', x: 4, y: top + 14 }, printable(title)),
    ];
    if (remark !== '')
      parts.push(
        svg(
          'text',
          { class: 'lane-remark', x: 4, y: top + 26 },
          cutText(printable(remark), (text) => drawnWidth(text, 10) < left),
        ),
      );
    return [...parts, ...bins.map((bin) => this.#bin(title, bin, top, objects))];
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
    const open = () => this.#tell(lane, bin, known);
    group.addEventListener('click', open);
    group.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      open();
    });
    return group;
  }

  #tell(lane: string, bin: TimeBin, objects: readonly PageObject[]): void {
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

function packed(timeline: PageTimeline): LaneRow[] {
  return timeline.lanes.map((lane) => {
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
    return { lane, bins, depth: Math.max(1, ends.length) };
  });
}

function positionOf(at: number): number {
  return left + at * (width - left - right - 40);
}

/** `from 2026-… to 2026-…` */
function rangeWords({ moments }: TimeBin): string {
  const from = moments.map(({ notBefore }) => notBefore).sort()[0] ?? '';
  const ends = moments.flatMap(({ notAfter }) => notAfter ?? []).sort();
  const to = ends.length < moments.length ? 'an unknown time' : (ends.at(-1) ?? '');
  return from === to ? `at ${from}` : `from ${from} to ${to}`;
}
