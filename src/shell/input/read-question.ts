import type { FromClusterOptions } from '../../cluster/from-cluster.ts';
import type { FactsWanted } from '../../cluster/protobuf/decode-item.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { inOrder, type Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { withProgress } from '../terminal/progress.ts';
import { inSmallHeap } from './in-small-heap.ts';
import { type FileListeners, openFrom } from './read-files.ts';
import { type AllNamespaces, namespaceInFiles } from './scope.ts';
import type { OpenedCluster, Session } from './session.ts';

/** What is to be read of a cluster for a question; without anything, metadata of every kind. */
export interface ReadRequest {
  /** Namespaced kinds in this namespace only, or in these; undefined: everywhere. */
  readonly namespace?: string | undefined;
  readonly namespaces?: readonly string[];
  /** Nothing that is in no namespace. */
  readonly namespacedOnly?: boolean;
  /** Only these kinds (`jobs.batch`). */
  readonly kinds?: readonly string[];
  /** Spec and status too, as far as they decide; `all`: as far as `why` looks at them; `few`: of what is in no namespace. */
  readonly facts?: FactsWanted;
  /** In these namespaces facts are read whatever `facts` says. */
  readonly factsIn?: readonly string[];
  /** Owners outside of what is read too, each asked for: of all that was read, or of a part of it. */
  readonly owners?: boolean | ((read: Snapshot) => readonly ObjectRecord[]);
  /** What was created a moment ago must not be missed. */
  readonly latest?: boolean;
  /** Whose missing owners are asked for again: those of all that is read (default), or as FromClusterOptions says. */
  readonly confirmOwnersOf?: 'newer';
  /** Receives each list, where the cluster is not followed. */
  readonly onListed?: FromClusterOptions['onListed'];
}

/**
 * Where a question is put: to files, which are read by now; or to a cluster whose kinds are known, and of
 * which nothing else was read.
 */
export type Source = {
  readonly types: ResourceTypes;
  /** The namespace that the command line is about; undefined: all of them. */
  readonly namespace: string | undefined;
} & (
  | { readonly snapshot: Snapshot; readonly cluster: undefined }
  | { readonly snapshot: undefined; readonly cluster: OpenedCluster }
);

/** The files of `--from`, or the cluster. */
export async function openSource(
  flags: CommonFlags & AllNamespaces,
  session: Session,
  listeners: FileListeners = {},
): Promise<Source> {
  if (flags.from) {
    const snapshot = await openFrom(flags, flags.from, session, listeners);
    const namespace = await namespaceInFiles(flags);
    return { types: snapshot.types, namespace, snapshot, cluster: undefined };
  }
  const cluster = await session.cluster();
  const namespace = flags['all-namespaces'] ? undefined : cluster.client.namespace;
  return { types: cluster.types, namespace, snapshot: undefined, cluster };
}

/** What a question needs, of where it is put; files hold all that they hold. */
export async function readSource(source: Source, question: ReadRequest): Promise<Snapshot> {
  return source.snapshot ?? readCluster(source.cluster, question);
}

/** The same in one step, for a question about all namespaces: a deletion does not stop at a border. */
export async function readQuestion(
  flags: CommonFlags,
  session: Session,
  question: ReadRequest,
): Promise<Snapshot> {
  return readSource(await openSource({ ...flags, 'all-namespaces': true }, session), question);
}

/** Reads a cluster as far as a question needs it. Where it is followed, what was read before is not read again. */
export async function readCluster(
  cluster: OpenedCluster,
  question: ReadRequest,
): Promise<Snapshot> {
  const { fromCluster } = await import('../../cluster/from-cluster.ts');
  const { namespace, namespacedOnly, kinds, factsIn, owners, latest, confirmOwnersOf, onListed } =
    question;
  const namespaces = namespace === undefined ? question.namespaces : [namespace];
  const { client, following } = cluster;
  // What is followed is followed as a whole.
  const facts = following && factsIn?.length ? true : question.facts;
  const wanted = kinds && new Set(kinds);
  const types =
    wanted && cluster.types.preferred().filter((type) => wanted.has(groupResourceOf(type)));
  const scope = { namespaces, namespacedOnly, types };
  const listed = await withProgress('Reading the cluster', async (progress) => {
    const options: FromClusterOptions = {
      ...(facts && { facts }),
      ...(factsIn && { factsIn }),
      ...(latest && { freshness: 'latest' }),
      confirmOwnersOf,
      onListed,
      discovery: cluster,
      onProgress: ({ done, total, objects }) =>
        progress.update(`Reading the cluster: ${done} of ${total} kinds, ${objects} objects`),
    };
    if (following) return inOrder(await following.snapshot(client, scope, options));
    const read = () => fromCluster(client, scope, options);
    // Of a few namespaces is little, and what is loaded meanwhile is not compiled under other flags.
    return namespaces ? read() : inSmallHeap(read);
  });
  if (!owners) return listed;
  const { lookUpOwners } = await import('../../cluster/list/look-up-owners.ts');
  const asking = following?.remembering(client) ?? client;
  return lookUpOwners(asking, listed, owners === true ? listed.records : owners(listed));
}

/**
 * Asks again for owners of these objects that were not seen, where they were read with `confirmOwnersOf`. Where a
 * cluster is followed, all were asked for.
 */
export async function confirmOwners(
  { client, following }: OpenedCluster,
  snapshot: Snapshot,
  of: readonly ObjectRecord[],
): Promise<Snapshot> {
  if (following) return snapshot;
  const { confirmMissingOwners } = await import('../../cluster/list/look-up-owners.ts');
  return confirmMissingOwners(client, snapshot, { facts: true }, { of });
}
