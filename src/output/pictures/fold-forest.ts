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

/** A box of the picture: an object, several of one kind below one owner, or the rest of an opened group. */
export interface Item {
  readonly key: string;
  readonly branch?: Branch;
  readonly group?: {
    readonly kind: string;
    readonly members: readonly Branch[];
    readonly isRest: boolean;
  };
  /** All that is below it and not shown. */
  readonly hidden: readonly Branch[];
  readonly children: readonly Item[];
}

/** This many of one kind below one owner are one box, until it is opened. */
const crowd = 10;
/** An opened group shows this many more. */
export const groupStep = 50;
/** A picture begins with this many boxes at most. */
const mostAtFirst = 300;

/** What is shown at first: all of a small graph, the first levels of a large one. */
export function firstFolding(forest: Forest, most = mostAtFirst): Folding {
  const none: Folding = { closed: new Set(), kinds: new Set(), opened: new Map() };
  const counts = countsByDepth(foldedForest(forest, none));
  let shown = 0;
  const depth = counts.findIndex((count) => {
    shown += count;
    return shown > most;
  });
  if (depth < 0) return none;
  const closed = new Set<string>();
  const keep = Math.max(0, depth - 1);
  let level = forest.roots;
  for (let at = 0; level.length > 0; at++) {
    if (at >= keep) {
      for (const { object, children } of level) if (children.length > 0) closed.add(object.id);
    }
    level = level.flatMap(({ children }) => children);
  }
  return { ...none, closed };
}

function countsByDepth(items: readonly Item[]): number[] {
  const counts: number[] = [];
  for (let level = items; level.length > 0; level = level.flatMap(({ children }) => children)) {
    counts.push(level.length);
  }
  return counts;
}

interface Pending {
  readonly branches: readonly Branch[];
  readonly parent: string;
  readonly into: Item[];
}

/** The boxes of a picture, as a forest of their own. */
export function foldedForest({ roots }: Forest, folding: Folding): Item[] {
  const items: Item[] = [];
  const pending: Pending[] = [{ branches: roots, parent: '', into: items }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const item of itemsOf(next, folding)) {
      next.into.push(item);
      const { branch } = item;
      if (branch && item.hidden.length === 0 && branch.children.length > 0) {
        const into = item.children as Item[];
        pending.push({ branches: branch.children, parent: branch.object.id, into });
      }
    }
  }
  return items;
}

function* itemsOf(
  { branches, parent }: Pending,
  { closed, kinds, opened }: Folding,
): Generator<Item> {
  const byKind = Map.groupBy(
    branches,
    ({ object: { apiVersion, kind } }) => `${apiVersion} ${kind}`,
  );
  for (const [type, members] of byKind) {
    const [first] = members;
    if (!first) continue;
    const { kind } = first.object;
    const key = `${parent} ${type}`;
    const isGroup = members.length >= crowd || (kinds.has(kind) && members.length > 1);
    const shown = isGroup ? (opened.get(key) ?? 0) : members.length;
    for (const branch of members.slice(0, shown)) {
      const isClosed = closed.has(branch.object.id);
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
export function revealed({ branches }: Forest, folding: Folding, id: string): Folding {
  const closed = new Set(folding.closed);
  const opened = new Map(folding.opened);
  for (let at = branches.get(id); at; at = at.parent) {
    const { parent, object } = at;
    if (parent) closed.delete(parent.object.id);
    const type = `${object.apiVersion} ${object.kind}`;
    const key = `${parent?.object.id ?? ''} ${type}`;
    const siblings = (parent?.children ?? rootsOf(branches)).filter(
      (one) => `${one.object.apiVersion} ${one.object.kind}` === type,
    );
    const place = siblings.indexOf(at);
    const isGroup =
      siblings.length >= crowd || (folding.kinds.has(object.kind) && siblings.length > 1);
    if (isGroup && (opened.get(key) ?? 0) <= place) {
      opened.set(key, Math.ceil((place + 1) / groupStep) * groupStep);
    }
  }
  return { ...folding, closed, opened };
}

function rootsOf(branches: Forest['branches']): Branch[] {
  return [...branches.values()].filter(({ parent }) => !parent);
}
