import type { ClusterClient } from '../client/cluster-client.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { type CommonFlags, connectionOptions } from './flags.ts';
import { startProgress } from './progress.ts';

export interface OpenedCluster {
  readonly client: ClusterClient;
  readonly types: ResourceTypes;
  readonly serverVersion: string | undefined;
}

/** Reads `--from`; nothing is contacted and the Kubernetes client is not loaded. */
export async function openFiles(flags: CommonFlags, paths: readonly string[]): Promise<Snapshot> {
  const { fromFiles } = await import('../sources/from-files.ts');
  return fromFiles(paths, {
    now: () => new Date(),
    stdin: process.stdin,
    complete: flags.complete ?? false,
  });
}

/** Connects and asks which kinds are served. */
export async function openCluster(flags: CommonFlags): Promise<OpenedCluster> {
  const client = await connectTo(flags);
  return { client, ...(await discoverTypes(client)) };
}

export async function connectTo(flags: CommonFlags): Promise<ClusterClient> {
  const { connect } = await import('../client/connect.ts');
  return connect(connectionOptions(flags));
}

export async function discoverTypes(
  client: ClusterClient,
): Promise<Pick<OpenedCluster, 'types' | 'serverVersion'>> {
  const { discover } = await import('../sources/cluster/discover.ts');
  const { types, serverVersion } = await discover(client);
  return { types, serverVersion };
}

/** Lists every kind of the cluster, or of some namespaces, as metadata. */
export async function listCluster(
  cluster: OpenedCluster,
  namespaces: readonly string[] | undefined,
): Promise<Snapshot> {
  const { fromCluster } = await import('../sources/from-cluster.ts');
  const progress = startProgress('Reading the cluster');
  try {
    return await fromCluster(cluster.client, namespaces ? { namespaces } : {}, {
      discovery: cluster,
      onProgress: ({ done, total, objects }) =>
        progress.update(`Reading the cluster: ${done} of ${total} kinds, ${objects} objects`),
    });
  } finally {
    progress.stop();
  }
}

/** The picture that a question about a whole cluster or namespace needs, from either side. */
export interface Opened {
  readonly snapshot: Snapshot;
  /** The namespace in question; undefined for all. */
  readonly namespace: string | undefined;
  /** The connection, open until the callback ends; undefined offline. */
  readonly cluster: OpenedCluster | undefined;
}

export async function withSnapshot<T>(
  flags: CommonFlags & { readonly 'all-namespaces'?: boolean },
  use: (opened: Opened) => Promise<T>,
): Promise<T> {
  const all = flags['all-namespaces'] ?? false;
  if (flags.from) {
    const snapshot = await openFiles(flags, flags.from);
    return use({ snapshot, namespace: all ? undefined : flags.namespace, cluster: undefined });
  }
  const cluster = await openCluster(flags);
  try {
    const namespace = all ? undefined : cluster.client.namespace;
    const listed = await listCluster(cluster, namespace === undefined ? undefined : [namespace]);
    const { lookUpOwners } = await import('../sources/cluster/look-up-owners.ts');
    const snapshot = await lookUpOwners(cluster.client, listed);
    return await use({ snapshot, namespace, cluster });
  } finally {
    cluster.client.close();
  }
}
