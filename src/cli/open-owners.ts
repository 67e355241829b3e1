import { usageError } from '../errors.ts';
import type { CommonFlags } from './flags.ts';
import { openCluster, openFiles, targetsOf } from './input.ts';
import type { OpenedObjects } from './open-tree.ts';
import { selectObjects } from './select-objects.ts';

/** The objects asked for and the chain of owners above them; on a cluster by GETs alone. */
export async function openOwners(
  args: readonly string[],
  flags: CommonFlags,
): Promise<OpenedObjects> {
  if (flags.from) {
    const snapshot = await openFiles(flags, flags.from);
    const targets = targetsOf(args, snapshot.types);
    const selection = { targets, namespace: flags.namespace, selector: undefined };
    return { snapshot, roots: selectObjects(snapshot, selection) };
  }
  const cluster = await openCluster(flags);
  try {
    const targets = targetsOf(args, cluster.types);
    const { namespace } = cluster.client;
    const starts = targets.map(({ type, name }) => {
      if (name !== undefined) return { type, name, namespace: type.namespaced ? namespace : '' };
      throw usageError(
        'no-name',
        'resource(s) were provided, but no name was specified',
        'On a cluster, owners looks up single objects: name each as TYPE/NAME.',
      );
    });
    const { loadOwnerChain } = await import('../sources/cluster/load-owner-chain.ts');
    const snapshot = await loadOwnerChain(cluster.client, cluster, starts);
    const selection = { targets, namespace, selector: undefined };
    return { snapshot, roots: selectObjects(snapshot, selection) };
  } finally {
    cluster.client.close();
  }
}
