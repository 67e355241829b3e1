import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ResourceType, storedAs } from '../../kube/resource-type.ts';
import { CoverageIndex } from '../coverage.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * Who owns whom in one snapshot. Edges are by uid alone, as in the garbage collector's own graph
 * (GC-5); whether a reference is honoured is a second question, answered by `classifyReference`.
 */
export interface Graph {
  readonly snapshot: Snapshot;
  readonly coverage: CoverageIndex;
  /** The observed object with this uid; undefined for a virtual owner (GC-6). */
  withUid(uid: string): ObjectRecord | undefined;
  /** The object a GET would find, whatever version of its kind is asked for. */
  at(type: ResourceType, namespace: string, name: string): ObjectRecord | undefined;
  /** Objects with a reference to this uid, in the snapshot's order; each once. */
  dependentsOf(uid: string): readonly ObjectRecord[];
  /** uids that references name and no observed object has. */
  virtualOwnerUids(): string[];
}

const none: readonly ObjectRecord[] = Object.freeze([]);

/** Indexes a snapshot; linear in objects and references. */
export function buildGraph(snapshot: Snapshot): Graph {
  const byUid = new Map<string, ObjectRecord>();
  const kinds = new KindIndexes();
  const dependents = new Map<string, ObjectRecord[]>();

  for (const record of snapshot.records) {
    if (record.uid !== '' && !byUid.has(record.uid)) byUid.set(record.uid, record);
    kinds.of(record.type).add(record);
    for (const { uid } of record.ownerReferences) {
      if (uid === '') continue;
      const list = dependents.get(uid);
      if (!list) dependents.set(uid, [record]);
      else if (list.at(-1) !== record) list.push(record);
    }
  }

  return {
    snapshot,
    coverage: new CoverageIndex(snapshot.coverage),
    withUid: (uid) => byUid.get(uid),
    at: (type, namespace, name) => kinds.of(type).at(namespace, name),
    dependentsOf: (uid) => dependents.get(uid) ?? none,
    virtualOwnerUids: () => [...dependents.keys()].filter((uid) => !byUid.has(uid)),
  };
}

/** Identifies an object inside one snapshot, also one that has no uid yet. */
export function idOf(record: ObjectRecord): string {
  return record.uid || `${storedAs(record.type)}/${record.namespace}/${record.name}`;
}

/** Index of the reference that holds up a foreground deletion, or -1. Only an explicit true does (GC-7). */
export function blockingIndex(dependent: ObjectRecord, ownerUid: string): number {
  return dependent.ownerReferences.findIndex(
    ({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true,
  );
}

/** An index for each kind of objects, whatever version of the kind is asked for. */
class KindIndexes {
  readonly #byName = new Map<string, KindIndex>();
  readonly #byType = new Map<ResourceType, KindIndex>();

  of(type: ResourceType): KindIndex {
    let index = this.#byType.get(type);
    if (!index) {
      const name = storedAs(type);
      index = this.#byName.get(name) ?? new KindIndex();
      this.#byName.set(name, index);
      this.#byType.set(type, index);
    }
    return index;
  }
}

/** The objects of one kind by namespace and name; most kinds own nothing, so they are indexed when first asked. */
class KindIndex {
  readonly #records: ObjectRecord[] = [];
  #namespaces: Map<string, Map<string, ObjectRecord>> | undefined;

  add(record: ObjectRecord): void {
    this.#records.push(record);
  }

  at(namespace: string, name: string): ObjectRecord | undefined {
    this.#namespaces ??= byNamespaceAndName(this.#records);
    return this.#namespaces.get(namespace)?.get(name);
  }
}

export function byNamespaceAndName(
  records: readonly ObjectRecord[],
): Map<string, Map<string, ObjectRecord>> {
  const namespaces = new Map<string, Map<string, ObjectRecord>>();
  for (const record of records) {
    const names = namespaces.get(record.namespace);
    if (names) names.set(record.name, record);
    else namespaces.set(record.namespace, new Map([[record.name, record]]));
  }
  return namespaces;
}
