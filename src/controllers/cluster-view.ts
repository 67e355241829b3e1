import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { coverageIndexOf } from '../snapshot/coverage.ts';
import { byNamespaceAndName } from '../snapshot/graph/graph.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { minorOrAssumed } from './settings/setting-definition.ts';

/** What controllers read of a cluster. Kinds are named as in `pods` or `jobs.batch`. */
export interface ClusterView {
  /** The minor version of Kubernetes 1 whose controllers decide. */
  readonly minor: number;
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
  const coverage = coverageIndexOf(snapshot.coverage);
  const existing = snapshot.records.filter(({ uid }) => uid !== '');
  const kinds = Map.groupBy(existing, ({ type }) => groupResourceOf(type));
  const indexes = new Map<string, Map<string, Map<string, ObjectRecord>>>();
  const lists = new Map<string, Map<string, ObjectRecord[]>>();

  function listsOf(resource: string): Map<string, ObjectRecord[]> {
    let namespaces = lists.get(resource);
    if (!namespaces) {
      namespaces = Map.groupBy(kinds.get(resource) ?? none, ({ namespace }) => namespace);
      lists.set(resource, namespaces);
    }
    return namespaces;
  }

  function namesOf(resource: string): Map<string, Map<string, ObjectRecord>> {
    let index = indexes.get(resource);
    if (!index) {
      index = byNamespaceAndName(kinds.get(resource) ?? none);
      indexes.set(resource, index);
    }
    return index;
  }

  return {
    minor: minorOrAssumed(snapshot.serverVersion),
    all: (resource) => kinds.get(resource) ?? none,
    in: (resource, namespace) => listsOf(resource).get(namespace) ?? none,
    at: (resource, namespace, name) => namesOf(resource).get(namespace)?.get(name),
    covers: (resource, namespace, name) => {
      const type = snapshot.types.versions(resource)[0];
      // A kind that is not served has no objects.
      if (!type) return snapshot.types.exhaustive;
      return coverage.covers(type, namespace, name);
    },
  };
}
