import { statSync } from 'node:fs';
import type { ClusterScope, FromClusterOptions } from '../../cluster/from-cluster.ts';
import { usageError } from '../../errors.ts';
import type { FromFilesOptions } from '../../files/from-files.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { inOrder } from '../../snapshot/in-order.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { withProgress } from '../terminal/progress.ts';
import { writeErr } from '../terminal/streams.ts';
import { timeOf } from './clock.ts';
import { type AllNamespaces, namespaceInFiles, type Selectors, scopeOf } from './scope.ts';
import type { OpenedCluster, Session } from './session.ts';

/** Reads `--from`; nothing is contacted and the Kubernetes client is not loaded. */
export async function openFiles(
  flags: CommonFlags,
  paths: readonly string[],
  options: Pick<FromFilesOptions, 'onKubeletConfiguration' | 'onSavedSnapshot'> = {},
): Promise<Snapshot> {
  const now = timeOf(flags);
  refuseEmptyPaths(paths);
  const { fromFiles } = await import('../../files/from-files.ts');
  const read = () =>
    fromFiles(paths, {
      remark: writeErr,
      now: () => now ?? new Date(),
      complete: flags.complete ?? false,
      ...options,
    });
  return inOrder(await (paths.every(isSmallFile) ? read() : inSmallHeap(read)));
}

/** Too small to make many objects of, even where it is compressed. */
function isSmallFile(path: string): boolean {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size < 128 * 1024;
  } catch {
    // Who reads it says why it cannot be read.
    return false;
  }
}

/** What `--from` holds, for all questions of one call. */
export function openFrom(
  flags: CommonFlags,
  paths: readonly string[],
  session: Session,
): Promise<Snapshot> {
  return session.files(() => openFiles(flags, paths));
}

/** The same where a saved snapshot is named, which also holds what is no object; undefined of other files. */
export async function openSaved(
  flags: CommonFlags,
  paths: readonly string[],
  session: Session,
): Promise<Snapshot | undefined> {
  refuseEmptyPaths(paths);
  const { holdsSavedSnapshot } = await import('../../files/holds-saved-snapshot.ts');
  for (const path of paths) {
    if (!(await holdsSavedSnapshot(path, process.stdin))) return undefined;
  }
  return openFrom(flags, paths, session);
}

export function refuseEmptyPaths(paths: readonly string[]): void {
  if (!paths.includes('')) return;
  throw usageError('no-file', 'a file name is empty', 'Name a file, a folder, or - for stdin.');
}

/** Lists the kinds of the cluster as metadata; with `facts`, what records keep of spec and status too. */
export async function listCluster(
  cluster: OpenedCluster,
  scope: ClusterScope,
  options: { readonly facts?: boolean | 'all' } = {},
): Promise<Snapshot> {
  const { fromCluster } = await import('../../cluster/from-cluster.ts');
  const { client, following } = cluster;
  return withProgress('Reading the cluster', async (progress) => {
    const asked: FromClusterOptions = {
      ...options,
      discovery: cluster,
      onProgress: ({ done, total, objects }) =>
        progress.update(`Reading the cluster: ${done} of ${total} kinds, ${objects} objects`),
    };
    if (following) return inOrder(await following.snapshot(client, scope, asked));
    return inSmallHeap(() => fromCluster(client, scope, asked));
  });
}

/** The namespace alone, or the whole cluster. */
export function within(namespace: string | undefined): ClusterScope {
  return namespace === undefined ? {} : { namespaces: [namespace] };
}

/**
 * The snapshot that a question about a whole cluster or namespace needs, which objects of it the question
 * is about, and the cluster it was read from; undefined offline. `args` name kinds; none named: all.
 * `namespace`: the one that the question is about; undefined: all of them.
 */
export async function openSnapshot(
  args: readonly string[],
  flags: CommonFlags & Selectors & AllNamespaces,
  session: Session,
) {
  const scopeIn = scopeOf(args, flags);
  if (flags.from) {
    const snapshot = await openFrom(flags, flags.from, session);
    const namespace = await namespaceInFiles(flags);
    const scope = scopeIn(snapshot.types, namespace);
    return { snapshot, scope, cluster: undefined, namespace };
  }
  const cluster = await session.cluster();
  const namespace = flags['all-namespaces'] ? undefined : cluster.client.namespace;
  const scope = scopeIn(cluster.types, namespace);
  const listed = await listCluster(cluster, within(namespace));
  const snapshot = inOrder(await withOwners(cluster, listed));
  return { snapshot, scope, cluster, namespace };
}

/** The same snapshot with the owners that are not in it, each asked for; the very snapshot when none is missing. */
export async function withOwners(
  { client, following }: OpenedCluster,
  snapshot: Snapshot,
): Promise<Snapshot> {
  const { lookUpOwners } = await import('../../cluster/list/look-up-owners.ts');
  return lookUpOwners(following?.remembering(client) ?? client, snapshot);
}

/**
 * Runs work that makes many objects which stay, as reading a cluster does. V8 would answer with an
 * ever larger young generation, which makes nothing faster here and takes a third of all memory.
 */
export async function inSmallHeap<T>(work: () => Promise<T>): Promise<T> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await work();
  } finally {
    // Code that was compiled under other flags is not taken from the cache, so they are put back.
    setFlagsFromString('--semi-space-growth-factor=2');
  }
}

/**
 * All there is of the kinds that controllers decide by (`jobs.batch`), in every namespace and with
 * the fields that decide, and the Leases that show since when the controllers remember.
 */
export async function openKinds(
  flags: CommonFlags,
  reads: readonly string[],
  session: Session,
): Promise<Snapshot> {
  if (flags.from) return openFrom(flags, flags.from, session);
  return listKinds(await session.cluster(), reads);
}

/** The same from a cluster that is open. */
export function listKinds(cluster: OpenedCluster, reads: readonly string[]): Promise<Snapshot> {
  const wanted = new Set([...reads, 'leases.coordination.k8s.io']);
  const types = cluster.types.preferred().filter((type) => wanted.has(groupResourceOf(type)));
  return listCluster(cluster, { types }, { facts: true });
}

/**
 * Everything there is, in every namespace: a deletion does not stop at a namespace's border. From a
 * cluster also the fields that decide about pods and namespaces are read.
 */
export async function openWholeCluster(flags: CommonFlags, session: Session): Promise<Snapshot> {
  if (flags.from) return openFrom(flags, flags.from, session);
  return listCluster(await session.cluster(), {}, { facts: true });
}
