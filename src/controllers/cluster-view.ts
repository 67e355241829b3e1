import { controllerUidOf, type ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { coverageIndexOf } from '../snapshot/coverage.ts';
import { byNamespaceAndName } from '../snapshot/graph/graph.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { minorOrAssumed } from './settings/setting-definition.ts';

/** Objects by their kinds, which are named as in `pods` or `jobs.batch`. */
export interface ByKind {
  all(resource: string): readonly ObjectRecord[];
  in(resource: string, namespace: string): readonly ObjectRecord[];
  at(resource: string, namespace: string, name: string): ObjectRecord | undefined;
  /** Those of a kind that an object controls. */
  controlledBy(resource: string, controller: ObjectRecord): readonly ObjectRecord[];
}

/** What controllers read of a cluster: objects that exist. Manifests that were never applied are not among them. */
export interface ClusterView extends ByKind {
  /** The minor version of Kubernetes 1 whose controllers decide. */
  readonly minor: number;
  /** Would the view have this object if it existed? */
  covers(resource: string, namespace: string, name: string): boolean;
}

const none: readonly ObjectRecord[] = Object.freeze([]);

/** Kinds are indexed when they are first asked for. */
export function byKind(records: readonly ObjectRecord[]): ByKind {
  let kinds: ReadonlyMap<string, readonly ObjectRecord[]> | undefined;
  const lists = new Map<string, Map<string, ObjectRecord[]>>();
  const names = new Map<string, Map<string, Map<string, ObjectRecord>>>();
  const controlled = new Map<string, Map<string | undefined, ObjectRecord[]>>();
  const all = (resource: string) => {
    kinds ??= Map.groupBy(records, ({ type }) => groupResourceOf(type));
    return kinds.get(resource) ?? none;
  };
  return {
    all,
    in: (resource, namespace) => {
      const list = lists.get(resource) ?? Map.groupBy(all(resource), (one) => one.namespace);
      lists.set(resource, list);
      return list.get(namespace) ?? none;
    },
    at: (resource, namespace, name) => {
      const index = names.get(resource) ?? byNamespaceAndName(all(resource));
      names.set(resource, index);
      return index.get(namespace)?.get(name);
    },
    controlledBy: (resource, { uid, namespace }) => {
      const index = controlled.get(resource) ?? Map.groupBy(all(resource), controllerUidOf);
      controlled.set(resource, index);
      return index.get(uid)?.filter((one) => one.namespace === namespace) ?? none;
    },
  };
}

const views = new WeakMap<Snapshot, ClusterView>();

/** The content of a snapshot, as controllers see it. */
export function viewOf(snapshot: Snapshot): ClusterView {
  const view = views.get(snapshot) ?? viewIn(snapshot);
  views.set(snapshot, view);
  return view;
}

function viewIn(snapshot: Snapshot): ClusterView {
  const coverage = coverageIndexOf(snapshot.coverage);
  return {
    ...byKind(snapshot.records.filter(({ uid }) => uid !== '')),
    minor: minorOrAssumed(snapshot.serverVersion),
    covers: (resource, namespace, name) => {
      const type = snapshot.types.versions(resource)[0];
      // A kind that is not served has no objects.
      if (!type) return snapshot.types.exhaustive;
      return coverage.covers(type, namespace, name);
    },
  };
}
