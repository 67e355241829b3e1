import type { PageObject } from '../pages/page-data.ts';
import { type Branch, type Forest, withDescendants } from './forest.ts';

/** What of a forest is shown. Ids of objects and keys of groups stay the same in the next forest. */
export interface Folding {
  /** Ids of objects whose dependents are not shown. */
  readonly closed: ReadonlySet<string>;
  /** Kinds whose objects are shown as one box below each owner. */
  readonly kinds: ReadonlySet<string>;
  /** Groups that are open: how many of their objects are shown. */
  readonly opened: ReadonlyMap<string, number>;
}

/** Nothing is folded but what is many. */
export const unfolded: Folding = { closed: new Set(), kinds: new Set(), opened: new Map() };

/** Every object is a separate box. */
export function wideOpen({ branches }: Forest): Folding {
  const groups = [...branches.values()].map(({ object, parent }) =>
    groupKey(parent?.object.id ?? '', object),
  );
  return { ...unfolded, opened: new Map(groups.map((key) => [key, Number.POSITIVE_INFINITY])) };
}

/** A box of the picture: an object, several of one kind below one owner, or the rest of an opened group. */
export interface PictureItem {
  readonly key: string;
  readonly branch?: Branch;
  readonly group?: {
    readonly kind: string;
    readonly members: readonly Branch[];
    readonly isRest: boolean;
  };
  /** All that is below it and not shown. */
  readonly hidden: readonly Branch[];
  readonly children: readonly PictureItem[];
}

/** This many of one kind below one owner are one box, until it is opened. */
const crowd = 10;
/** An opened group shows this many more. */
export const groupStep = 50;
/** A picture begins with this many boxes at most. */
const mostAtFirst = 300;

/** What is shown at first: all of a small graph, the first levels of a large one. */
export function firstFolding(forest: Forest, most = mostAtFirst): Folding {
  let shown = 0;
  const depth = levelsOf(foldedForest(forest, unfolded)).findIndex(({ length }) => {
    shown += length;
    return shown > most;
  });
  if (depth < 0) return unfolded;
  const deep = levelsOf(forest.roots)
    .slice(Math.max(0, depth - 1))
    .flat();
  const closed = deep.filter(({ children }) => children.length > 0).map(({ object }) => object.id);
  return { ...unfolded, closed: new Set(closed) };
}

/** The roots, then what is below them, and so on. */
function levelsOf<T extends { readonly children: readonly T[] }>(roots: readonly T[]): T[][] {
  const levels: T[][] = [];
  for (let level = [...roots]; level.length > 0; level = level.flatMap((one) => one.children)) {
    levels.push(level);
  }
  return levels;
}

/** The dependents of one object, or the roots. */
interface Below {
  readonly branches: readonly Branch[];
  readonly parent: string;
}

/** The boxes of a picture, as a forest of their own. */
export function foldedForest({ roots }: Forest, folding: Folding): PictureItem[] {
  const items = [...itemsOf({ branches: roots, parent: '' }, folding)];
  const all = [...items];
  for (const { branch, hidden, children } of all) {
    if (!branch || hidden.length > 0) continue;
    for (const item of itemsOf({ branches: branch.children, parent: branch.object.id }, folding)) {
      (children as PictureItem[]).push(item);
      all.push(item);
    }
  }
  return items;
}

/** What is of one kind below one owner. */
interface Siblings {
  /** Of their group, where they are one. */
  readonly key: string;
  readonly kind: string;
  readonly members: readonly Branch[];
  /** How many of them have boxes of their own. */
  readonly shown: number;
}

function siblingsIn({ branches, parent }: Below, { kinds, opened }: Folding): Siblings[] {
  const byKey = Map.groupBy(branches, ({ object }) => groupKey(parent, object));
  return [...byKey].map(([key, members]) => {
    const kind = members[0]?.object.kind ?? '';
    const isGroup = members.length >= crowd || (kinds.has(kind) && members.length > 1);
    return { key, kind, members, shown: isGroup ? (opened.get(key) ?? 0) : members.length };
  });
}

/** The key of the group that an object belongs to; `owner`: the id of the object above it, empty at a root. */
function groupKey(owner: string, { apiVersion, kind }: PageObject): string {
  return `${owner} ${apiVersion} ${kind}`;
}

/** The same folding with all objects of this kind as one box below each owner, or as many. */
export function withKindFolded(folding: Folding, kind: string, isFolded: boolean): Folding {
  const kinds = new Set(folding.kinds);
  if (isFolded) kinds.add(kind);
  else kinds.delete(kind);
  const opened = new Map([...folding.opened].filter(([key]) => !key.endsWith(` ${kind}`)));
  return { ...folding, kinds, opened };
}

function* itemsOf(below: Below, folding: Folding): Generator<PictureItem> {
  for (const { key, kind, members, shown } of siblingsIn(below, folding)) {
    for (const branch of members.slice(0, shown)) {
      const isClosed = folding.closed.has(branch.object.id);
      const hidden = isClosed ? withDescendants(branch).slice(1) : [];
      yield { key: branch.object.id, branch, hidden, children: [] };
    }
    const rest = members.slice(shown);
    if (rest.length === 0) continue;
    const hidden = rest.flatMap(withDescendants);
    yield { key, group: { kind, members: rest, isRest: shown > 0 }, hidden, children: [] };
  }
}

/** The same folding with this object in sight: what is above it is opened. */
export function revealed({ branches, roots }: Forest, folding: Folding, id: string): Folding {
  const closed = new Set(folding.closed);
  const opened = new Map(folding.opened);
  for (let at = branches.get(id); at; at = at.parent) {
    const { parent } = at;
    if (parent) closed.delete(parent.object.id);
    const below = { branches: parent?.children ?? roots, parent: parent?.object.id ?? '' };
    for (const { key, members, shown } of siblingsIn(below, folding)) {
      const place = members.indexOf(at);
      if (shown <= place) opened.set(key, Math.ceil((place + 1) / groupStep) * groupStep);
    }
  }
  return { ...folding, closed, opened };
}
