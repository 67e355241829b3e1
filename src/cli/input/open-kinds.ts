import { groupResourceOf } from '../../kube/resource-type.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { startProgress } from '../terminal/progress.ts';
import { inOrder } from './in-order.ts';
import { inSmallHeap, listCluster, openFiles } from './input.ts';
import type { OpenedCluster, Session } from './session.ts';

/** All there is of these kinds (`jobs.batch`), in every namespace, with the fields that decide about them. */
export async function openKinds(
  flags: CommonFlags,
  resources: readonly string[],
  session: Session,
): Promise<Snapshot> {
  if (flags.from) return openFiles(flags, flags.from);
  return listKinds(await session.cluster(), resources);
}

/** The same from a cluster that is open. */
export async function listKinds(
  cluster: OpenedCluster,
  resources: readonly string[],
): Promise<Snapshot> {
  const progress = startProgress('Reading the cluster');
  try {
    const { fromCluster } = await import('../../cluster/from-cluster.ts');
    const wanted = new Set(resources);
    const types = cluster.types.preferred().filter((type) => wanted.has(groupResourceOf(type)));
    const snapshot = await inSmallHeap(() =>
      fromCluster(cluster.client, { types }, { facts: true, discovery: cluster }),
    );
    return inOrder(snapshot);
  } finally {
    progress.stop();
  }
}

/**
 * Everything there is, in every namespace: a deletion does not stop at a namespace's border. From a
 * cluster also the fields that decide about pods and namespaces are read.
 */
export async function openWholeCluster(flags: CommonFlags, session: Session): Promise<Snapshot> {
  if (flags.from) return openFiles(flags, flags.from);
  return listCluster(await session.cluster(), undefined, { facts: true });
}
