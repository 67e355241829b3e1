import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { UidNumbers } from '../../kube/records/uid-numbers.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isCustomResourceDefinition, isNamespace, isNode } from '../../kube/well-known-kinds.ts';

/** Which records belong together, by a number that all of a family share. */
export interface RelatedRecords {
  familyOf(index: number): number;
  /** Positions of the owners that the references of a record name. */
  ownersOf(record: ObjectRecord): readonly number[];
  /** Position of an object that has references or is named by one. */
  positionOf(uid: string): number | undefined;
}

/** Objects that share one of these names belong together. */
export type LinksOf = (record: ObjectRecord) => readonly string[];

/**
 * Joins records along references, what is in a namespace, of a kind or on a Node that goes, and those that
 * one of `links` gives the same name.
 */
export function relatedRecords(
  records: readonly ObjectRecord[],
  touched: ReadonlySet<ObjectRecord>,
  links: readonly LinksOf[] = [],
): RelatedRecords {
  const parents = Int32Array.from(records, (_, index) => index);
  const uids = new UidNumbers();
  for (const record of records) if (uids.ofOwners(record).length > 0) uids.ofRecord(record);
  /** By the numbers of uids; -1 where only references speak of one. */
  const positions = new Int32Array(uids.size).fill(-1);
  const homes = new Map<string, number>();
  const definitions = new Map<string, number>();
  const nodes = new Map<string | undefined, number>();
  records.forEach((record, index) => {
    const uid = uids.findRecord(record);
    if (uid !== undefined) positions[uid] = index;
    if (!touched.has(record) && record.deletionTimestamp === undefined) return;
    if (isNamespace(record)) homes.set(record.name, index);
    if (isCustomResourceDefinition(record)) definitions.set(record.name, index);
    if (isNode(record)) nodes.set(record.name, index);
  });
  const at = (uid: number | undefined) => {
    const position = uid === undefined ? -1 : (positions[uid] ?? -1);
    return position < 0 ? undefined : position;
  };
  const ownersOf = (record: ObjectRecord) => uids.ofOwners(record).flatMap((uid) => at(uid) ?? []);
  records.forEach((record, index) => {
    for (const owner of ownersOf(record)) unite(parents, index, owner);
    if (homes.size > 0) unite(parents, index, homes.get(record.namespace));
    if (nodes.size > 0) unite(parents, index, nodes.get(knownNodeOf(record)));
    if (definitions.size > 0) unite(parents, index, definitions.get(groupResourceOf(record.type)));
  });
  for (const linksOf of links) {
    const firsts = new Map<string, number>();
    records.forEach((record, index) => {
      for (const link of linksOf(record)) {
        const first = firsts.get(link);
        if (first === undefined) firsts.set(link, index);
        else unite(parents, index, first);
      }
    });
  }
  return {
    familyOf: (index) => find(parents, index),
    ownersOf,
    positionOf: (uid) => at(uids.find(uid)),
  };
}

/** Disjoint sets, with paths halved on the way. */
function find(parents: Int32Array, index: number): number {
  let at = index;
  for (;;) {
    const parent = parents[at] as number;
    if (parent === at) return at;
    const above = parents[parent] as number;
    parents[at] = above;
    at = above;
  }
}

function unite(parents: Int32Array, a: number, b: number | undefined): void {
  if (b !== undefined) parents[find(parents, a)] = find(parents, b);
}
