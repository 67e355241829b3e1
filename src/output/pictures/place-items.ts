import { hierarchy, tree } from 'd3-hierarchy';
import type { PageReference } from '../pages/page-data.ts';
import type { PictureItem } from './fold-forest.ts';
import type { Forest } from './forest.ts';

export const boxWidth = 272;
export const boxHeight = 40;
const rowHeight = 48;
const columnWidth = 328;

/** Where a box stands: the left upper corner. */
export interface PlacedItem {
  readonly item: PictureItem;
  readonly x: number;
  readonly y: number;
  readonly depth: number;
}

/** A line from an owner to its dependent, or between the boxes that stand for them. */
export interface PlacedLine {
  readonly path: string;
  /** The middle, for words. */
  readonly x: number;
  readonly y: number;
  readonly top: number;
  readonly bottom: number;
  readonly reference: PageReference;
  /** Not the one that the object is drawn below. */
  readonly isAcross: boolean;
}

export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly items: readonly PlacedItem[];
  readonly lines: readonly PlacedLine[];
}

interface Root {
  readonly children: readonly PictureItem[];
}

/** How far a dependent stands to the right of its owner in a list. */
const [smallestIndent, largestIndent] = [10, 28];

/** A box a line, in the order of the tree: for windows in which few boxes are beside each other. `room`: how wide they are. */
export function listed(items: readonly PictureItem[], forest: Forest, room: number): Placed {
  const lines: { readonly item: PictureItem; readonly depth: number }[] = [];
  const waiting = items.map((item) => ({ item, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    lines.push(next);
    const depth = next.depth + 1;
    for (const child of next.item.children.toReversed()) waiting.push({ item: child, depth });
  }
  const deepest = lines.reduce((most, { depth }) => Math.max(most, depth), 1);
  const fitting = Math.floor((room - boxWidth) / deepest);
  const indent = Math.max(smallestIndent, Math.min(largestIndent, fitting));
  const places = lines.map((line, at) => ({ ...line, x: line.depth * indent, y: at * rowHeight }));
  return picture(places, linesBetween(places, forest, stepBy(indent)));
}

/** Owners at the left, dependents at the right of them: a tidy tree (Reingold and Tilford, in the form of Buchheim). */
export function placed(items: readonly PictureItem[], forest: Forest): Placed {
  const top = hierarchy<Root | PictureItem>({ children: items }, ({ children }) => [...children]);
  const drawn = tree<Root | PictureItem>()
    .nodeSize([rowHeight, columnWidth])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.35))(top);
  const nodes = drawn.descendants().slice(1);
  const first = nodes.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY);
  const places: PlacedItem[] = nodes.map(({ data, x, y, depth }) => ({
    item: data as PictureItem,
    x: y - columnWidth,
    y: nodes.length === 0 ? 0 : x - first,
    depth: depth - 1,
  }));
  return picture(places, linesBetween(places, forest, curve));
}

function picture(items: readonly PlacedItem[], lines: readonly PlacedLine[]): Placed {
  const far = (pick: (place: PlacedItem) => number) =>
    items.reduce((most, place) => Math.max(most, pick(place)), 0);
  const [width, height] = [far(({ x }) => x) + boxWidth, far(({ y }) => y) + boxHeight];
  return { width, height, items, lines };
}

type Path = Omit<PlacedLine, 'reference' | 'isAcross'>;

function linesBetween(
  places: readonly PlacedItem[],
  { across }: Forest,
  pathOf: (from: PlacedItem, to: PlacedItem) => Path,
): PlacedLine[] {
  const standsFor = new Map<string, PlacedItem>();
  for (const place of places) {
    const { branch, hidden } = place.item;
    for (const one of hidden) standsFor.set(one.object.id, place);
    if (branch) standsFor.set(branch.object.id, place);
  }
  const lines: PlacedLine[] = [];
  const seen = new Set<string>();
  const join = (reference: PageReference, isAcross: boolean) => {
    const [from, to] = [standsFor.get(reference.owner), standsFor.get(reference.dependent)];
    if (!from || !to || from === to) return;
    const key = `${from.item.key}\n${to.item.key}`;
    if (seen.has(key)) return;
    seen.add(key);
    lines.push({ ...(isAcross ? curve : pathOf)(from, to), reference, isAcross });
  };
  for (const { item } of places) {
    const { reference } = item.branch ?? item.group?.members[0] ?? {};
    if (reference) join(reference, false);
  }
  for (const reference of across) join(reference, true);
  return lines;
}

/** Down from the owner, and to the right. */
function stepBy(indent: number) {
  return (from: PlacedItem, to: PlacedItem): Path => {
    const [x, y1, y2] = [from.x + indent / 2, from.y + boxHeight, to.y + boxHeight / 2];
    const path = `M${round(x)} ${round(y1)}V${round(y2)}H${round(to.x)}`;
    // Words have no room between the boxes of a list.
    return { path, x: round(to.x + boxWidth + largestIndent), y: round(y2), top: y1, bottom: y2 };
  };
}

function curve(from: PlacedItem, to: PlacedItem): Path {
  const [y1, y2] = [from.y + boxHeight / 2, to.y + boxHeight / 2];
  const isForward = to.x > from.x + boxWidth;
  const x1 = from.x + boxWidth;
  const x2 = isForward ? to.x : to.x + boxWidth;
  const bend = isForward ? (x2 - x1) / 2 : 60;
  const [c1, c2] = isForward ? [x1 + bend, x2 - bend] : [x1 + bend, x2 + bend];
  return {
    path: `M${round(x1)} ${round(y1)}C${round(c1)} ${round(y1)} ${round(c2)} ${round(y2)} ${round(x2)} ${round(y2)}`,
    x: round((x1 + 3 * c1 + 3 * c2 + x2) / 8),
    y: round((y1 + y2) / 2),
    top: Math.min(y1, y2),
    bottom: Math.max(y1, y2),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
