import { usageError } from '../errors.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { inWords } from '../kube/object-reference.ts';
import { apiVersionOf, storedAs } from '../kube/resource-type.ts';
import type { Snapshot as WholeSnapshot } from '../snapshot/snapshot.ts';
import { boolean, fields, list, matching, optional, text } from '../syntax/document-part.ts';
import { aDate, checkArgument, checkOptions } from './arguments.ts';
import { type ConnectOptions, checkConnection, withClient } from './connection.ts';

/**
 * The objects of a cluster at one moment. It contains metadata and the few fields of spec and status
 * that controllers decide by, and never the data of Secrets or ConfigMaps. Nothing changes
 * it; only `fromFiles` and `fromCluster` make one.
 */
export interface Snapshot extends Omit<WholeSnapshot, 'types'> {}

export interface FromFilesOptions {
  /** The time of the snapshot where no saved snapshot gives one. Default: now. */
  readonly now?: Date;
  /** The files hold the whole cluster: what is not in them does not exist. Default: false. */
  readonly complete?: boolean;
}

/**
 * Reads manifests, dumps of `kubectl get -o yaml` and saved snapshots: files and folders, `-` for
 * stdin. What in them cannot be read is listed in `coverage.problems`. Throws a GcError when a path
 * cannot be read or contains no object, and a TypeError for an argument of another type.
 */
export async function fromFiles(
  paths: readonly string[],
  options: FromFilesOptions = {},
): Promise<Snapshot> {
  checkArgument(list(text), paths, 'paths');
  checkOptions(options, { now: aDate, complete: boolean });
  const { now, complete = false } = options;
  const files = await import('../files/from-files.ts');
  return files.fromFiles(paths, { now: () => now ?? new Date(), complete });
}

export interface FromClusterOptions extends ConnectOptions {
  /** Namespaced objects of these namespaces only; default: of all. */
  readonly namespaces?: readonly string[];
}

/**
 * Reads all objects of a cluster. What may not be read, or cannot be, is listed in
 * `coverage.problems`. Throws a GcError when the cluster cannot be reached, and a TypeError for an option of another
 * type.
 */
export async function fromCluster(options: FromClusterOptions = {}): Promise<Snapshot> {
  checkConnection(options);
  checkOptions(options, { namespaces: list(text) });
  const { namespaces, ...to } = options;
  return withClient(to, async (client) => {
    const cluster = await import('../cluster/from-cluster.ts');
    return cluster.fromCluster(client, { namespaces }, { facts: true });
  });
}

/** Names an object, as a manifest does. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  /** Left out for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
}

const aSnapshot = matching(
  'an object that fromFiles or fromCluster made, and that was awaited',
  (value): value is object => typeof value === 'object' && value !== null && 'records' in value,
);
const objectNames = list(
  fields({ apiVersion: text, kind: text, namespace: optional(text), name: text }),
);

/** With what questions need and no program should rely on: which kinds are served. */
export function whole(snapshot: Snapshot): WholeSnapshot {
  checkArgument(aSnapshot, snapshot, 'snapshot');
  if ('types' in snapshot) return snapshot as WholeSnapshot;
  throw usageError(
    'this is no snapshot that fromFiles or fromCluster made: what was read is unknown',
    [
      'A copy by JSON lacks the kinds: save the snapshot with the command snapshot save, and read it with fromFiles.',
    ],
  );
}

/** The objects of these names; throws a usage error for the first one that is not there. */
export function objectsNamed(
  snapshot: WholeSnapshot,
  names: readonly ObjectName[],
): ObjectRecord[] {
  checkArgument(objectNames, names, 'objects');
  return names.map(({ apiVersion, kind, namespace = '', name }) => {
    const wanted = snapshot.types.find(apiVersion, kind);
    const found = snapshot.records.find(
      (record) =>
        record.name === name &&
        record.namespace === namespace &&
        (wanted
          ? storedAs(record.type) === storedAs(wanted)
          : record.type.kind === kind && apiVersionOf(record.type) === apiVersion),
    );
    if (found) return found;
    const what = inWords({ kind, namespace, name });
    throw usageError(`there is no ${apiVersion} ${what}`, [], 'not-found');
  });
}
