import type { ObjectRecord } from '../../kube/object-record.ts';
import { targetNodeOf } from '../../kube/pod-use.ts';
import { pushTo } from '../../kube/push-to.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isCustomResourceDefinition, isNamespace, isNode } from '../../kube/well-known-kinds.ts';
import type { Owners } from '../../snapshot/graph/owners.ts';

/** Objects that share one of these names act on each other. */
export type LinksOf = (record: ObjectRecord) => readonly string[];

type Positions = readonly number[];

const noPositions: Positions = [];

/** Kinds that contain other objects, and the name of the one that contains a record. */
const homeKinds = [
  [isNamespace, ({ namespace }: ObjectRecord) => namespace],
  [isNode, targetNodeOf],
  [isCustomResourceDefinition, ({ type }: ObjectRecord) => groupResourceOf(type)],
] as const;

/**
 * These records, and all that a change of them can affect. Owners affect their dependents; a namespace, a Node or a
 * definition that is deleted affects its content; and objects with the same name by one of `links` affect each other.
 */
export function reachedFrom(
  start: readonly ObjectRecord[],
  records: readonly ObjectRecord[],
  owners: Owners,
  goes: (record: ObjectRecord) => boolean,
  links: readonly LinksOf[],
): ReadonlySet<ObjectRecord> {
  const content = contentOfHomes(records, goes);
  const groups = links.map((linksOf) => ({ linksOf, byLink: byLinkIn(records, linksOf) }));
  const reached = new Set(start);
  const given = new Set<Positions>();
  for (const record of reached) {
    for (const dependent of owners.dependentsOf(record.uid)) reached.add(dependent);
    const next = [content.get(record) ?? noPositions];
    for (const { linksOf, byLink } of groups) {
      for (const link of linksOf(record)) {
        const linked = byLink.get(link) ?? noPositions;
        // What is reached by a link once need not be given again.
        if (!given.has(linked)) next.push(linked);
        given.add(linked);
      }
    }
    for (const some of next) {
      for (const at of some) {
        const other = records[at];
        if (other) reached.add(other);
      }
    }
  }
  return reached;
}

/** Which records belong together, in whichever direction they act. */
export function actingAmong(
  records: readonly ObjectRecord[],
  goes: (record: ObjectRecord) => boolean,
  links: readonly LinksOf[],
) {
  const dependents = new Map<string, number[]>();
  records.forEach(({ ownerReferences }, at) => {
    for (const { uid } of ownerReferences) pushTo(dependents, uid, at);
  });
  const content = contentOfHomes(records, goes);
  const groups = links.flatMap((linksOf) => [...byLinkIn(records, linksOf).values()]);
  const below = (record: ObjectRecord) => [
    dependents.get(record.uid) ?? noPositions,
    content.get(record) ?? noPositions,
  ];
  const parents = joined(records, below, groups);
  /** By its position: a number that all records of its family share. */
  return { familyOf: (at: number) => representativeOf(parents, at) };
}

function byLinkIn(
  records: readonly ObjectRecord[],
  linksOf: LinksOf,
): ReadonlyMap<string, number[]> {
  const byLink = new Map<string, number[]>();
  records.forEach((record, at) => {
    for (const link of linksOf(record)) pushTo(byLink, link, at);
  });
  return byLink;
}

function contentOfHomes(
  records: readonly ObjectRecord[],
  goes: (record: ObjectRecord) => boolean,
): ReadonlyMap<ObjectRecord, number[]> {
  const content = new Map<ObjectRecord, number[]>();
  const going = records.filter(goes);
  for (const [isKind, homeOf] of homeKinds) {
    const homes = new Map<string | undefined, ObjectRecord>();
    for (const record of going) if (isKind(record)) homes.set(record.name, record);
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
  records: readonly ObjectRecord[],
  below: (record: ObjectRecord) => readonly Positions[],
  groups: readonly Positions[],
): Int32Array {
  const parents = Int32Array.from(records.keys());
  const unite = (a: number, b: number) => {
    parents[representativeOf(parents, a)] = representativeOf(parents, b);
  };
  records.forEach((record, at) => {
    for (const some of below(record)) for (const other of some) unite(other, at);
  });
  for (const [first = 0, ...others] of groups) for (const other of others) unite(other, first);
  return parents;
}

/** Paths are halved on the way. */
function representativeOf(parents: Int32Array, at: number): number {
  let here = at;
  for (;;) {
    const parent = parents[here] as number;
    if (parent === here) return here;
    const above = parents[parent] as number;
    parents[here] = above;
    here = above;
  }
}
