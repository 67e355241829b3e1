import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { CoverageIndex } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** What controllers read of a cluster. Kinds are named as in `pods` or `jobs.batch`. */
export interface ClusterView {
  /** Every object of a kind that exists: manifests that were never applied are not among them. */
  all(resource: string): readonly ObjectRecord[];
  in(resource: string, namespace: string): readonly ObjectRecord[];
  at(resource: string, namespace: string, name: string): ObjectRecord | undefined;
  /** Would the view have this object if it existed? */
  covers(resource: string, namespace: string, name: string): boolean;
}

const none: readonly ObjectRecord[] = Object.freeze([]);

/** Looks at a snapshot; kinds are indexed when they are first asked for. */
export function viewOf(snapshot: Snapshot): ClusterView {
  const coverage = new CoverageIndex(snapshot.coverage);
  const kinds = new Map<string, ObjectRecord[]>();
  for (const record of snapshot.records) {
    if (record.uid === '') continue;
    const resource = groupResourceOf(record.type);
    const list = kinds.get(resource);
    if (list) list.push(record);
    else kinds.set(resource, [record]);
  }
  const indexes = new Map<string, Map<string, Map<string, ObjectRecord>>>();
  const lists = new Map<string, Map<string, ObjectRecord[]>>();

  function indexOf(resource: string): Map<string, Map<string, ObjectRecord>> {
    let index = indexes.get(resource);
    if (!index) {
      index = new Map();
      for (const record of kinds.get(resource) ?? none) {
        const names = index.get(record.namespace);
        if (names) names.set(record.name, record);
        else index.set(record.namespace, new Map([[record.name, record]]));
      }
      indexes.set(resource, index);
    }
    return index;
  }

  function listsOf(resource: string): Map<string, ObjectRecord[]> {
    let namespaces = lists.get(resource);
    if (!namespaces) {
      namespaces = Map.groupBy(kinds.get(resource) ?? none, ({ namespace }) => namespace);
      lists.set(resource, namespaces);
    }
    return namespaces;
  }

  return {
    all: (resource) => kinds.get(resource) ?? none,
    in: (resource, namespace) => listsOf(resource).get(namespace) ?? none,
    at: (resource, namespace, name) => indexOf(resource).get(namespace)?.get(name),
    covers: (resource, namespace, name) => {
      const type = snapshot.types.versions(resource)[0];
      // A kind that is not served has no objects.
      if (!type) return snapshot.types.exhaustive;
      return coverage.covers(type, namespace, name);
    },
  };
}
