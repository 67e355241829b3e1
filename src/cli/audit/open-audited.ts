import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags.ts';
import { inOrder } from '../in-order.ts';
import { listCluster, openCluster, openFiles } from '../input.ts';

export interface Audited {
  readonly snapshot: Snapshot;
  /** Only a namespace was read. */
  readonly narrowed: boolean;
}

/** The files; or the cluster with spec and status, as a whole or around one namespace. */
export async function openAudited(
  flags: CommonFlags,
  namespace: string | undefined,
): Promise<Audited> {
  if (flags.from) {
    return { snapshot: await openFiles(flags, flags.from), narrowed: false };
  }
  const cluster = await openCluster(flags);
  try {
    const namespaces = namespace === undefined ? undefined : [namespace];
    const listed = await listCluster(cluster, namespaces, { facts: true });
    const { lookUpOwners } = await import('../../sources/cluster/look-up-owners.ts');
    const snapshot = inOrder(await lookUpOwners(cluster.client, listed));
    return { snapshot, narrowed: namespaces !== undefined };
  } finally {
    cluster.client.close();
  }
}
