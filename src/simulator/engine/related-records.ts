import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isCustomResourceDefinition, isNamespace, isNode } from '../../kube/well-known-kinds.ts';

/** Which records belong together, by a number that all of a family share. */
export interface RelatedRecords {
  familyOf(index: number): number;
  /** Position of each record that a reference names. */
  readonly byUid: ReadonlyMap<string, number>;
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
  const named = new Set<string>();
  for (const { ownerReferences } of records) for (const { uid } of ownerReferences) named.add(uid);
  const byUid = new Map<string, number>();
  const homes = new Map<string, number>();
  const definitions = new Map<string, number>();
  const nodes = new Map<string | undefined, number>();
  records.forEach((record, index) => {
    if (record.ownerReferences.length > 0 || named.has(record.uid)) byUid.set(record.uid, index);
    if (!touched.has(record) && record.deletionTimestamp === undefined) return;
    if (isNamespace(record)) homes.set(record.name, index);
    if (isCustomResourceDefinition(record)) definitions.set(record.name, index);
    if (isNode(record)) nodes.set(record.name, index);
  });
  records.forEach((record, index) => {
    for (const { uid } of record.ownerReferences) unite(parents, index, byUid.get(uid));
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
  return { familyOf: (index) => find(parents, index), byUid };
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
