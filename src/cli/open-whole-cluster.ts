import type { Snapshot } from '../snapshot/snapshot.ts';
import type { CommonFlags } from './flags.ts';
import { listCluster, openCluster, openFiles } from './input.ts';

/**
 * Everything there is, in every namespace: a deletion does not stop at a namespace's border. From a
 * cluster also the fields that decide about pods and namespaces are read.
 */
export async function openWholeCluster(flags: CommonFlags): Promise<Snapshot> {
  if (flags.from) return openFiles(flags, flags.from);
  const cluster = await openCluster(flags);
  try {
    return await listCluster(cluster, undefined, { facts: true });
  } finally {
    cluster.client.close();
  }
}
