import type { ObjectRecord } from '../../kube/object-record.ts';
import { HashTable, hashOf, NumberList } from '../../kube/records/hash-table.ts';
import { UidNumbers } from '../../kube/records/uid-numbers.ts';
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
  /** How many they are of an observed object. */
  countDependents(record: ObjectRecord): number;
  /** The observed objects whose uids the references name. */
  observedOwners(record: ObjectRecord): readonly ObjectRecord[];
  /** uids that references name and no observed object has. */
  virtualOwnerUids(): string[];
}

/** Indexes a snapshot; linear in objects and references. */
export function buildGraph(snapshot: Snapshot): Graph {
  const { records } = snapshot;
  const uids = new UidNumbers(records.length);
  const byUid: (ObjectRecord | undefined)[] = [];
  const kinds = new KindIndexes();
  const dependents = new Dependents();

  for (const [index, record] of records.entries()) {
    const uid = uids.ofRecord(record);
    dependents.makeRoom(uids.size);
    while (byUid.length < uids.size) byUid.push(undefined);
    byUid[uid] ??= record;
    kinds.of(record.type).add(record);
    for (const owner of uids.ofOwners(record)) {
      dependents.makeRoom(uids.size);
      dependents.add(owner, index);
    }
  }
  const none = uids.find('');
  if (none !== undefined) byUid[none] = undefined;

  return {
    snapshot,
    coverage: new CoverageIndex(snapshot.coverage),
    withUid: (uid) => byUid[uids.find(uid) ?? -1],
    at: (type, namespace, name) => kinds.of(type).at(namespace, name),
    dependentsOf: (uid) =>
      uid === ''
        ? []
        : dependents.of(uids.find(uid)).map((index) => records[index] as ObjectRecord),
    countDependents: (record) => {
      const uid = uids.ofRecord(record);
      return uid === none ? 0 : dependents.count(uid);
    },
    observedOwners: (record) => uids.ofOwners(record).flatMap((owner) => byUid[owner] ?? []),
    virtualOwnerUids: () =>
      dependents
        .owners()
        .filter((owner) => owner !== none && byUid[owner] === undefined)
        .map((owner) => uids.textOf(owner)),
  };
}

/** Which objects refer to an owner, by numbers: twelve bytes for a reference. */
class Dependents {
  /** By owner: its last reference plus one; 0 when there is none. */
  readonly #last = new NumberList();
  /** By reference: the dependent, and the reference to the same owner before it, plus one. */
  readonly #dependent = new NumberList();
  readonly #before = new NumberList();

  makeRoom(owners: number): void {
    while (this.#last.length < owners) this.#last.push(0);
  }

  /** Dependents come in their order. */
  add(owner: number, dependent: number): void {
    const last = this.#last.at(owner);
    if (last > 0 && this.#dependent.at(last - 1) === dependent) return;
    this.#dependent.push(dependent);
    this.#before.push(last);
    this.#last.set(owner, this.#dependent.length);
  }

  of(owner: number | undefined): number[] {
    const found: number[] = [];
    if (owner === undefined || owner >= this.#last.length) return found;
    for (let at = this.#last.at(owner); at > 0; at = this.#before.at(at - 1)) {
      found.push(this.#dependent.at(at - 1));
    }
    return found.reverse();
  }

  count(owner: number): number {
    let count = 0;
    for (let at = this.#last.at(owner); at > 0; at = this.#before.at(at - 1)) count++;
    return count;
  }

  /** Those with a dependent, in the order in which they were met. */
  owners(): number[] {
    const owners: number[] = [];
    for (let owner = 0; owner < this.#last.length; owner++) {
      if (this.#last.at(owner) > 0) owners.push(owner);
    }
    return owners;
  }
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
  #table: HashTable | undefined;

  add(record: ObjectRecord): void {
    this.#records.push(record);
  }

  at(namespace: string, name: string): ObjectRecord | undefined {
    this.#table ??= this.#indexed();
    return this.#records[this.#find(this.#table, namespace, name)];
  }

  #find(table: HashTable, namespace: string, name: string): number {
    return table.find(hashOf(name, hashOf(namespace, 0)), (index) => {
      const record = this.#records[index];
      return record?.name === name && record.namespace === namespace;
    });
  }

  /** Of two objects of one name the later one counts. */
  #indexed(): HashTable {
    const table = new HashTable();
    for (let index = this.#records.length - 1; index >= 0; index--) {
      const { namespace, name } = this.#records[index] as ObjectRecord;
      if (this.#find(table, namespace, name) < 0) {
        table.add(hashOf(name, hashOf(namespace, 0)), index);
      }
    }
    return table;
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
