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
import { type AllNamespaces, namespaceInFiles } from './scope.ts';
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
  throw usageError('a file name is empty', ['Name a file, a folder, or - for stdin.']);
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

/** What is to be read for a question; without anything, metadata of every kind where the command line asks. */
interface Question {
  /** In every namespace, whatever the command line asks about: a deletion does not stop at a border. */
  readonly everywhere?: boolean;
  /** Only these kinds (`jobs.batch`), and the Leases that show since when the controllers remember. */
  readonly kinds?: readonly string[];
  /** Spec and status too, as far as they decide; `all`: as far as `why` looks at them. */
  readonly facts?: boolean | 'all';
  /** Owners outside of what is read too, each asked for. */
  readonly owners?: boolean;
}

/**
 * What a question needs, of the files of `--from` or of the cluster it was read from, which is undefined offline.
 * `namespace`: the one that the question is about; undefined: all of them.
 */
export async function readQuestion(
  given: CommonFlags & AllNamespaces,
  session: Session,
  question: Question,
) {
  const flags = question.everywhere ? { ...given, 'all-namespaces': true } : given;
  if (flags.from) {
    const snapshot = await openFrom(flags, flags.from, session);
    return { snapshot, cluster: undefined, namespace: await namespaceInFiles(flags) };
  }
  const cluster = await session.cluster();
  const namespace = flags['all-namespaces'] ? undefined : cluster.client.namespace;
  return { snapshot: await readCluster(cluster, question, namespace), cluster, namespace };
}

/** The same of a cluster that is open: of a namespace, or of all of it. */
export async function readCluster(
  cluster: OpenedCluster,
  { kinds, facts, owners }: Omit<Question, 'everywhere'>,
  namespace?: string,
): Promise<Snapshot> {
  const wanted = kinds && new Set([...kinds, 'leases.coordination.k8s.io']);
  const types =
    wanted && cluster.types.preferred().filter((type) => wanted.has(groupResourceOf(type)));
  const namespaces = namespace === undefined ? undefined : [namespace];
  const listed = await listCluster(cluster, { namespaces, types }, { ...(facts && { facts }) });
  return owners ? inOrder(await withOwners(cluster, listed)) : listed;
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
