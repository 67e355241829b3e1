import { isGcError } from '../errors.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf, isDeletable, type ResourceType } from '../kube/resource-type.ts';
import { mayConcern, ResourceTypes } from '../kube/resource-types.ts';
import { type CoverageProblem, discoveryProblem } from '../snapshot/coverage.ts';
import { inOrder, type Snapshot } from '../snapshot/snapshot.ts';
import type { ClusterClient } from './connection/cluster-client.ts';
import { type GetOptions, observedAtOf } from './get.ts';
import { atOnce, inParallel } from './in-parallel.ts';
import { type Discovery, discover } from './list/discover.ts';
import {
  type ListedKind,
  listKind,
  namespaceFallback,
  withSystemNamespaces,
} from './list/list-kind.ts';
import { howToList, type ListOptions } from './list/list-objects.ts';
import { confirmMissingOwners } from './list/look-up-owners.ts';
import { StringPool } from './protobuf/string-pool.ts';

export interface ClusterScope {
  /** Namespaced kinds are listed in these only; undefined: everywhere. */
  readonly namespaces?: readonly string[] | undefined;
  /** Only these types; undefined: every preferred one that can be listed and deleted. */
  readonly types?: readonly ResourceType[] | undefined;
  /** Nothing that is in no namespace. */
  readonly namespacedOnly?: boolean | undefined;
}

/** How far the reading has come, in kinds. */
export interface ReadingProgress {
  readonly done: number;
  readonly total: number;
  /** Objects seen so far. */
  readonly objects: number;
}

export interface FromClusterOptions extends ListOptions {
  /** What `discover` found, when it was asked already. */
  readonly discovery?:
    | (Pick<Discovery, 'types' | 'serverVersion'> & Partial<Discovery>)
    | undefined;
  /**
   * Whose owners are asked for again where they were not seen: those of all that was read (default), or only of `newer`
   * objects. What was last written before the first list had its owners by then, and so the lists have them, or they are
   * gone. This compares resource versions of several kinds, which are of one etcd.
   */
  readonly confirmOwnersOf?: 'newer' | undefined;
  readonly concurrency?: number | undefined;
  readonly onProgress?: ((progress: ReadingProgress) => void) | undefined;
}

/** Kinds that usually have the most and the largest objects: started first, they do not end last. */
const largest = [
  'pods',
  'replicasets.apps',
  'secrets',
  'configmaps',
  'endpointslices.discovery.k8s.io',
  'jobs.batch',
  'deployments.apps',
  'services',
];

/** Reads a cluster's objects as metadata, in order; what could not be read is in the snapshot's coverage. */
export async function fromCluster(
  client: ClusterClient,
  scope: ClusterScope = {},
  options: FromClusterOptions = {},
): Promise<Snapshot> {
  const discovery = options.discovery ?? (await discover(client, options));
  const { types, serverVersion } = discovery;
  // Events are never collected (GC-8).
  const wanted = (scope.types ?? types.preferred().filter(isDeletable)).filter(
    ({ namespaced }) => namespaced || !scope.namespacedOnly,
  );
  const shared: ListOptions = {
    strings: new StringPool(),
    // What is in no namespace is little.
    prefersHttp2: scope.namespaces === undefined && wanted.some(({ namespaced }) => namespaced),
    ...howToList(discovery, options.freshness),
    ...options,
  };
  let oldest = Number.POSITIVE_INFINITY;
  const listing: ListOptions = {
    ...shared,
    onListed: (list) => {
      oldest = Math.min(oldest, Number(list.resourceVersion));
      options.onListed?.(list);
    },
  };
  const { isGone, stillServed } = servedNow(client, options);
  const kindScope = {
    namespaces: scope.namespaces,
    isGone,
    fallback: scope.namespaces ? undefined : namespaceFallback(client, types, shared),
  };
  const listed = await inParallel(
    largestFirst(wanted),
    options.concurrency ?? (scope.namespaces?.length === 1 ? atOnce.short : atOnce.long),
    reporting(options, wanted.length, (type) => listKind(client, type, kindScope, listing)),
  );
  // A caller that names the kinds to read does not miss unknown ones.
  const undiscovered = scope.types ? [] : types.failed.map(discoveryProblem);
  const snapshot = inOrder({
    ...snapshotContent(listed.map(withSystemNamespaces), undiscovered),
    types: stillServed(types),
    serverVersion,
    origin: { kind: 'cluster', server: client.server },
  });
  const isOlder = ({ resourceVersion }: ObjectRecord) => Number(resourceVersion) <= oldest;
  const of =
    options.confirmOwnersOf === 'newer'
      ? snapshot.records.filter((record) => !isOlder(record))
      : snapshot.records;
  return inOrder(await confirmMissingOwners(client, snapshot, shared, { of }));
}

/** Lists kinds, and reports after each how far the reading has come. */
function reporting(
  { onProgress }: FromClusterOptions,
  total: number,
  list: (type: ResourceType) => Promise<ListedKind>,
): (type: ResourceType) => Promise<ListedKind> {
  let done = 0;
  let objects = 0;
  return async (type) => {
    const kind = await list(type);
    done += 1;
    objects += kind.records.length;
    onProgress?.({ done, total, objects });
    return kind;
  };
}

/** The objects of all lists, what was read by them, and when. */
function snapshotContent(
  kinds: readonly ListedKind[],
  undiscovered: readonly CoverageProblem[],
): Pick<Snapshot, 'records' | 'coverage' | 'observedAt' | 'observedFrom'> {
  const observedAt = observedAtOf(kinds.map(({ serverTime }) => serverTime));
  const [first] = kinds.flatMap(({ serverTime }) => serverTime ?? []).sort();
  return {
    records: kinds.flatMap(({ records }) => records),
    coverage: {
      read: kinds.flatMap(({ read }) => read ?? []),
      asked: [],
      problems: [...undiscovered, ...kinds.flatMap(({ problems }) => problems)],
    },
    observedAt,
    ...(first !== undefined && first < observedAt && { observedFrom: first }),
  };
}

function largestFirst(types: readonly ResourceType[]): readonly ResourceType[] {
  const rank = (type: ResourceType): number => {
    const at = largest.indexOf(groupResourceOf(type));
    return at < 0 ? largest.length : at;
  };
  return types.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * What a server serves by now, asked once for all lists of a reading that were not found: a definition
 * that is deleted meanwhile takes its kind along, and all objects of it.
 */
function servedNow(client: ClusterClient, options: GetOptions) {
  const gone = new Set<string>();
  let asked: Promise<ResourceTypes | undefined> | undefined;
  const ask = async () => {
    try {
      return (await discover(client, options)).types;
    } catch (error) {
      if (isGcError(error)) return undefined;
      throw error;
    }
  };
  /** Is the kind served in no version any more? Where discovery does not say, it may be. */
  const isGone = async (type: ResourceType) => {
    asked ??= ask();
    const types = await asked;
    const resource = groupResourceOf(type);
    if (!types || types.versions(resource).length > 0) return false;
    if (types.failed.some((failure) => mayConcern(failure, type.group))) return false;
    gone.add(resource);
    return true;
  };
  /** The same kinds without those that were found to be gone. */
  const stillServed = (types: ResourceTypes) => {
    if (gone.size === 0) return types;
    return new ResourceTypes(
      types.all.filter((type) => !gone.has(groupResourceOf(type))),
      types,
    );
  };
  return { isGone, stillServed };
}
