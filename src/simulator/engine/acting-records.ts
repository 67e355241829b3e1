import type { ObjectRecord } from '../../kube/object-record.ts';
import { targetNodeOf } from '../../kube/pod-use.ts';
import { pushTo } from '../../kube/push-to.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isCustomResourceDefinition, isNamespace, isNode } from '../../kube/well-known-kinds.ts';

/** Objects that share one of these names act on each other. */
export type LinksOf = (record: ObjectRecord) => readonly string[];

/** Which records act on which others; records are told by their positions. */
export interface ActingRecords {
  /** These, and all that a change of them goes on to. */
  reachedFrom(start: Iterable<number>): ReadonlySet<number>;
  /** A number that all records share that belong together, in whichever direction they act. */
  familyOf(at: number): number;
}

type Positions = readonly number[];

const none: Positions = [];

/** What holds others, and the name of the one that holds a record. */
const homeKinds = [
  [isNamespace, ({ namespace }: ObjectRecord) => namespace],
  [isNode, targetNodeOf],
  [isCustomResourceDefinition, ({ type }: ObjectRecord) => groupResourceOf(type)],
] as const;

/**
 * Owners act on their dependents, a namespace, a Node or a definition that goes on what it holds, and those on each other
 * to which one of `links` gives the same name.
 */
export function actingAmong(
  records: readonly ObjectRecord[],
  goes: (record: ObjectRecord) => boolean,
  links: readonly LinksOf[],
): ActingRecords {
  const dependents = new Map<string, number[]>();
  records.forEach(({ ownerReferences }, at) => {
    for (const { uid } of ownerReferences) pushTo(dependents, uid, at);
  });
  const content = contentOfHomes(records, goes);
  const groups = links.map((linksOf) => {
    const byLink = new Map<string, number[]>();
    records.forEach((record, at) => {
      for (const link of linksOf(record)) pushTo(byLink, link, at);
    });
    return { linksOf, byLink };
  });
  const below = (at: number): readonly Positions[] => [
    dependents.get(records[at]?.uid ?? '') ?? none,
    content.get(at) ?? none,
  ];
  let parents: Int32Array | undefined;
  return {
    reachedFrom(start) {
      const reached = new Set(start);
      const given = new Set<Positions>();
      for (const at of reached) {
        const next = [...below(at)];
        for (const { linksOf, byLink } of groups) {
          for (const link of linksOf(records[at] as ObjectRecord)) {
            const linked = byLink.get(link) ?? none;
            // What is reached by a link once need not be given again.
            if (!given.has(linked)) next.push(linked);
            given.add(linked);
          }
        }
        for (const some of next) for (const other of some) reached.add(other);
      }
      return reached;
    },
    familyOf(at) {
      parents ??= joined(
        records.length,
        below,
        groups.flatMap(({ byLink }) => [...byLink.values()]),
      );
      return find(parents, at);
    },
  };
}

function contentOfHomes(
  records: readonly ObjectRecord[],
  goes: (record: ObjectRecord) => boolean,
): ReadonlyMap<number, number[]> {
  const content = new Map<number, number[]>();
  for (const [isKind, homeOf] of homeKinds) {
    const homes = new Map<string | undefined, number>();
    records.forEach((record, at) => {
      if (isKind(record) && goes(record)) homes.set(record.name, at);
    });
    if (homes.size === 0) continue;
    records.forEach((record, at) => {
      const home = homes.get(homeOf(record));
      if (home !== undefined) pushTo(content, home, at);
    });
  }
  return content;
}

/** Disjoint sets: the way up from each position to that which stands for its set. */
function joined(
  count: number,
  below: (at: number) => readonly Positions[],
  groups: readonly Positions[],
): Int32Array {
  const parents = Int32Array.from({ length: count }, (_, at) => at);
  const unite = (a: number, b: number) => {
    parents[find(parents, a)] = find(parents, b);
  };
  for (let at = 0; at < count; at++) {
    for (const some of below(at)) for (const other of some) unite(other, at);
  }
  for (const [first = 0, ...others] of groups) for (const other of others) unite(other, first);
  return parents;
}

/** Paths are halved on the way. */
function find(parents: Int32Array, at: number): number {
  let here = at;
  for (;;) {
    const parent = parents[here] as number;
    if (parent === here) return here;
    const above = parents[parent] as number;
    parents[here] = above;
    here = above;
  }
}
