import { pushTo } from '../kube/json-value.ts';
import {
  controllerOf,
  controllerUidOf,
  isBeingDeleted,
  noRecords,
  type ObjectRecord,
} from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { deployments, replicaSets } from '../kube/well-known-kinds.ts';
import { minorOrAssumed } from '../settings/setting-definition.ts';
import { coverageIndexOf } from '../snapshot/coverage.ts';
import { byNamespaceAndName } from '../snapshot/graph/graph.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/** Objects by their kinds, which are named as in `pods` or `jobs.batch`. */
export interface ByKind {
  records(): readonly ObjectRecord[];
  all(resource: string): readonly ObjectRecord[];
  in(resource: string, namespace: string): readonly ObjectRecord[];
  at(resource: string, namespace: string, name: string): ObjectRecord | undefined;
  /** Those of a kind that an object controls. */
  controlledBy(resource: string, controller: ObjectRecord): readonly ObjectRecord[];
  index(kind: IndexKind): ObjectIndex;
}

/** How objects of a kind are looked up. */
export interface IndexKind {
  readonly resource: string;
  keysOf(record: ObjectRecord): readonly string[];
}

/** Objects of one kind by their keys. */
export interface ObjectIndex {
  get(key: string): readonly ObjectRecord[];
  count(key: string): number;
}

/** By kind, as in `jobs.batch`: names of an object of it. Objects that share one are about each other. */
export type Keys = Readonly<Record<string, IndexKind['keysOf']>>;

/** Kinds are indexed when they are first asked for. */
export function byKind(records: readonly ObjectRecord[]): ByKind {
  let kinds: ReadonlyMap<string, readonly ObjectRecord[]> | undefined;
  const lists = new Map<string, Map<string, ObjectRecord[]>>();
  const names = new Map<string, Map<string, Map<string, ObjectRecord>>>();
  const indexes = new Map<IndexKind, ObjectIndex>();
  const all = (resource: string) => {
    kinds ??= Map.groupBy(records, ({ type }) => groupResourceOf(type));
    return kinds.get(resource) ?? noRecords;
  };
  const index = (kind: IndexKind) => {
    const known = indexes.get(kind) ?? indexOf(all(kind.resource), kind);
    indexes.set(kind, known);
    return known;
  };
  return {
    records: () => records,
    all,
    in: (resource, namespace) => {
      const list = lists.get(resource) ?? Map.groupBy(all(resource), (one) => one.namespace);
      lists.set(resource, list);
      return list.get(namespace) ?? noRecords;
    },
    at: (resource, namespace, name) => {
      const index = names.get(resource) ?? byNamespaceAndName(all(resource));
      names.set(resource, index);
      return index.get(namespace)?.get(name);
    },
    controlledBy: (resource, owner) => controlledIn(index(byController(resource)), owner),
    index,
  };
}

function indexOf(records: readonly ObjectRecord[], { keysOf }: IndexKind): ObjectIndex {
  const found = new Map<string, ObjectRecord[]>();
  for (const record of records) for (const key of keysOf(record)) pushTo(found, key, record);
  return {
    get: (key) => found.get(key) ?? noRecords,
    count: (key) => found.get(key)?.length ?? 0,
  };
}

/** What an index by controllers has of one, which is in the same namespace. */
export function controlledIn(
  index: ObjectIndex,
  { uid, namespace }: ObjectRecord,
): readonly ObjectRecord[] {
  const found = index.get(uid);
  const isNear = (one: ObjectRecord) => one.namespace === namespace;
  return found.every(isNear) ? found : found.filter(isNear);
}

/** The name by which others of its namespace call an object. */
export function ownName({ namespace, name }: ObjectRecord): readonly string[] {
  return [`${namespace}/${name}`];
}

/** The name that an object shares with those of its namespace whose names for others were not read. */
export function unreadName({ namespace }: Pick<ObjectRecord, 'namespace'>): string {
  return `${namespace}/?`;
}

export function ownUid({ uid }: ObjectRecord): readonly string[] {
  return [uid];
}

/** None of an object without a controller. */
export function controllerUid(record: ObjectRecord): readonly string[] {
  const uid = controllerUidOf(record);
  return uid === undefined ? [] : [uid];
}

const kindsOfKeys = new WeakMap<IndexKind['keysOf'], Map<string, IndexKind>>();

/** How objects of a kind are looked up by these keys: always the same value, so that one index is made of them. */
export function indexKind(resource: string, keysOf: IndexKind['keysOf']): IndexKind {
  const kinds = kindsOfKeys.get(keysOf) ?? new Map<string, IndexKind>();
  kindsOfKeys.set(keysOf, kinds);
  const kind = kinds.get(resource) ?? { resource, keysOf };
  kinds.set(resource, kind);
  return kind;
}

/** Objects of a kind by the uid of their controller. */
export function byController(resource: string): IndexKind {
  return indexKind(resource, controllerUid);
}

const workloadKinds: Readonly<Record<string, string>> = {
  [replicaSets]: 'ReplicaSet',
  replicationcontrollers: 'ReplicationController',
  [deployments]: 'Deployment',
  'statefulsets.apps': 'StatefulSet',
  'daemonsets.apps': 'DaemonSet',
  'jobs.batch': 'Job',
};

/** The controller of an object, where it is of this kind of workload and not being deleted. Mirrors resolveControllerRef. */
export function controlling(
  record: ObjectRecord | undefined,
  resource: string,
  view: Pick<ByKind, 'at'>,
): ObjectRecord | undefined {
  const reference = record && controllerOf(record);
  if (reference?.kind !== workloadKinds[resource]) return undefined;
  const found = reference && view.at(resource, record.namespace, reference.name);
  return found?.uid === reference?.uid && found && !isBeingDeleted(found) ? found : undefined;
}

/** What controllers read of a cluster: objects that exist. Manifests that were never applied are not among them. */
export interface ClusterView extends ByKind {
  /** The minor version of Kubernetes 1 whose controllers decide. */
  readonly minor: number;
  /** Would the view have this object if it existed? */
  covers(resource: string, namespace: string, name: string): boolean;
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
