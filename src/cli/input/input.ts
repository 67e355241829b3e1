import { usageError } from '../../errors.ts';
import type { FromFilesOptions } from '../../files/from-files.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { startProgress } from '../terminal/progress.ts';
import { writeErr } from '../terminal/streams.ts';
import { timeOf } from './clock.ts';
import { inOrder } from './in-order.ts';
import { type Scope, type Selectors, scopeOf } from './scope.ts';
import type { OpenedCluster, Session } from './session.ts';

/** Reads `--from`; nothing is contacted and the Kubernetes client is not loaded. */
export async function openFiles(
  flags: CommonFlags,
  paths: readonly string[],
  options: Pick<FromFilesOptions, 'onKubeletConfiguration'> = {},
): Promise<Snapshot> {
  const now = timeOf(flags);
  if (paths.includes('')) {
    throw usageError('no-file', 'a file name is empty', 'Name a file, a folder, or - for stdin.');
  }
  const { fromFiles } = await import('../../files/from-files.ts');
  const snapshot = await fromFiles(paths, {
    remark: writeErr,
    now: () => now ?? new Date(),
    stdin: process.stdin,
    complete: flags.complete ?? false,
    ...options,
  });
  return inOrder(snapshot);
}

/** Lists every kind of the cluster, or of some namespaces, as metadata; with `facts`, what records keep of spec and status too. */
export async function listCluster(
  cluster: OpenedCluster,
  namespaces: readonly string[] | undefined,
  options: { readonly facts?: boolean } = {},
): Promise<Snapshot> {
  const { fromCluster } = await import('../../cluster/from-cluster.ts');
  const progress = startProgress('Reading the cluster');
  try {
    const snapshot = await inSmallHeap(() =>
      fromCluster(cluster.client, namespaces ? { namespaces } : {}, {
        ...options,
        discovery: cluster,
        onProgress: ({ done, total, objects }) =>
          progress.update(`Reading the cluster: ${done} of ${total} kinds, ${objects} objects`),
      }),
    );
    return inOrder(snapshot);
  } finally {
    progress.stop();
  }
}

/** The picture that a question about a whole cluster or namespace needs, from either side. */
interface Opened {
  readonly snapshot: Snapshot;
  /** Which objects of it the question is about. */
  readonly scope: Scope;
  /** Where it was read; undefined offline. */
  readonly cluster: OpenedCluster | undefined;
}

/** `args` name the kinds in question; none named: all. */
export async function openSnapshot(
  args: readonly string[],
  flags: CommonFlags & Selectors & { readonly 'all-namespaces'?: boolean },
  session: Session,
): Promise<Opened> {
  const scopeIn = scopeOf(args, flags);
  const all = flags['all-namespaces'] ?? false;
  if (flags.from) {
    const snapshot = await openFiles(flags, flags.from);
    const scope = scopeIn(snapshot.types, all ? undefined : flags.namespace);
    return { snapshot, scope, cluster: undefined };
  }
  const cluster = await session.cluster();
  const namespace = all ? undefined : cluster.client.namespace;
  const scope = scopeIn(cluster.types, namespace);
  const listed = await listCluster(cluster, namespace === undefined ? undefined : [namespace]);
  const { lookUpOwners } = await import('../../cluster/list/look-up-owners.ts');
  const snapshot = inOrder(await lookUpOwners(cluster.client, listed));
  return { snapshot, scope, cluster };
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
