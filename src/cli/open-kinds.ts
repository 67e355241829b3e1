import { groupResourceOf } from '../kube/resource-type.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { CommonFlags } from './flags.ts';
import { inOrder } from './in-order.ts';
import { type OpenedCluster, openCluster, openFiles } from './input.ts';
import { startProgress } from './progress.ts';
import { inSmallHeap } from './small-heap.ts';

/** All there is of these kinds (`jobs.batch`), in every namespace, with the fields that decide about them. */
export async function openKinds(
  flags: CommonFlags,
  resources: readonly string[],
): Promise<Snapshot> {
  if (flags.from) return openFiles(flags, flags.from);
  const cluster = await openCluster(flags);
  try {
    return await listKinds(cluster, resources);
  } finally {
    cluster.client.close();
  }
}

/** The same from a cluster that is open. */
export async function listKinds(
  cluster: OpenedCluster,
  resources: readonly string[],
): Promise<Snapshot> {
  const progress = startProgress('Reading the cluster');
  try {
    const { fromCluster } = await import('../sources/from-cluster.ts');
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
