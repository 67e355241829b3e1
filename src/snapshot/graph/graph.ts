import { leadsElsewhere } from '../../kube/names.ts';
import { isDeletingDependents, type ObjectRecord } from '../../kube/object-record.ts';
import {
  apiVersionOf,
  groupResourceOf,
  isMonitored,
  type ResourceType,
  storedAs,
} from '../../kube/resource-type.ts';
import { type CoverageIndex, coverageIndexOf } from '../coverage.ts';
import type { Snapshot } from '../snapshot.ts';
import { type Owners, ownersAmong } from './owners.ts';

/** Who owns whom in one snapshot; whether a reference is honoured is a second question, answered by `classifyReference`. */
export interface Graph extends Owners {
  readonly snapshot: Snapshot;
  readonly coverage: CoverageIndex;
  /** The object a GET would find, whatever version of its kind is asked for. */
  at(type: ResourceType, namespace: string, name: string): ObjectRecord | undefined;
  /** Does `record` have these coordinates? `at` indexes all objects of a kind for its first answer. */
  isAt(record: ObjectRecord, type: ResourceType, namespace: string, name: string): boolean;
}

const knownGraphs = new WeakMap<Snapshot, Graph>();

/** The index of a snapshot, made once however many ask; linear in objects and references. */
export function buildGraph(snapshot: Snapshot): Graph {
  let graph = knownGraphs.get(snapshot);
  if (!graph) {
    graph = indexed(snapshot);
    knownGraphs.set(snapshot, graph);
  }
  return graph;
}

function indexed(snapshot: Snapshot): Graph {
  const { records, types } = snapshot;
  const kinds = new KindIndexes();
  // V8 compiles a function that is called often sooner than a loop.
  records.forEach((record) => {
    kinds.of(record.type).add(record);
  });

  const isAt: Graph['isAt'] = (record, type, namespace, name) =>
    record.namespace === namespace &&
    record.name === name &&
    kinds.of(record.type) === kinds.of(type);
  const sureTypes = new Map<ResourceType, boolean>();
  const isSureType = (type: ResourceType) =>
    isMonitored(type) &&
    type.verbs.includes('get') &&
    types.versions(groupResourceOf(type))[0] === type &&
    types.find(apiVersionOf(type), type.kind) === type &&
    kinds.of(type).isSorted;
  const resolves = (owner: ObjectRecord) => {
    const { type, name } = owner;
    const isOfSureType = sureTypes.get(type) ?? isSureType(type);
    sureTypes.set(type, isOfSureType);
    return isOfSureType && !isDeletingDependents(owner) && !leadsElsewhere(name);
  };
  return {
    ...ownersAmong(records, resolves),
    snapshot,
    coverage: coverageIndexOf(snapshot.coverage),
    at: (type, namespace, name) => kinds.of(type).at(namespace, name),
    isAt,
  };
}

/** Identifies an object inside one snapshot, also one that has no uid yet. */
export function idOf(record: ObjectRecord): string {
  return record.uid || `${storedAs(record.type)}/${record.namespace}/${record.name}`;
}

/** Index of the reference that blocks a foreground deletion, or -1. Only an explicit true blocks (GC-7). */
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
  #byName: Map<string, Map<string, ObjectRecord>> | undefined;
  #isSorted: boolean | undefined;

  add(record: ObjectRecord): void {
    this.#records.push(record);
  }

  /** By namespace and name, so that no two objects have the same. */
  get isSorted(): boolean {
    this.#isSorted ??= this.#records.every((record, index) => {
      const before = this.#records[index - 1];
      if (!before) return true;
      const { namespace, name } = record;
      return before.namespace === namespace ? before.name < name : before.namespace < namespace;
    });
    return this.#isSorted;
  }

  /** Of two objects of one name the later one counts. */
  at(namespace: string, name: string): ObjectRecord | undefined {
    this.#byName ??= byNamespaceAndName(this.#records);
    return this.#byName.get(namespace)?.get(name);
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
