import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { knownNodeOf } from '../../../src/kube/pod-use.ts';
import { groupResourceOf } from '../../../src/kube/resource-type.ts';
import {
  isCustomResourceDefinition,
  isNamespace,
  isNode,
} from '../../../src/kube/well-known-kinds.ts';

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
  /** By uid; -1 until the object is met, and where only references speak of one. */
  const positions = new Map<string, number>();
  for (const { uid, ownerReferences } of records) {
    for (const reference of ownerReferences) positions.set(reference.uid, -1);
    if (ownerReferences.length > 0) positions.set(uid, -1);
  }
  const homes = new Map<string, number>();
  const definitions = new Map<string, number>();
  const nodes = new Map<string | undefined, number>();
  records.forEach((record, index) => {
    if (positions.has(record.uid)) positions.set(record.uid, index);
    if (!touched.has(record) && record.deletionTimestamp === undefined) return;
    if (isNamespace(record)) homes.set(record.name, index);
    if (isCustomResourceDefinition(record)) definitions.set(record.name, index);
    if (isNode(record)) nodes.set(record.name, index);
  });
  const positionOf = (uid: string) => {
    const position = positions.get(uid) ?? -1;
    return position < 0 ? undefined : position;
  };
  const ownersOf = ({ ownerReferences }: ObjectRecord) =>
    ownerReferences.flatMap(({ uid }) => positionOf(uid) ?? []);
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
    positionOf,
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
