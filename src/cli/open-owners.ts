import { usageError } from '../errors.ts';
import type { CommonFlags } from './flags.ts';
import { openCluster, openFiles } from './input.ts';
import type { OpenedObjects } from './open-tree.ts';
import { selectObjects } from './select-objects.ts';
import { targetsOf } from './targets.ts';

/** The objects asked for and the chain of owners above them; on a cluster by GETs alone. */
export async function openOwners(
  args: readonly string[],
  flags: CommonFlags & { readonly filename?: readonly string[] | undefined },
): Promise<OpenedObjects> {
  if (flags.from) {
    const snapshot = await openFiles(flags, flags.from);
    const targets = await targetsOf(args, snapshot.types, flags.filename);
    const selection = { targets, namespace: flags.namespace, selectors: {} };
    return { snapshot, roots: selectObjects(snapshot, selection) };
  }
  const cluster = await openCluster(flags);
  try {
    const targets = await targetsOf(args, cluster.types, flags.filename);
    const { namespace } = cluster.client;
    const starts = targets.map(({ type, name, namespace: own = namespace }) => {
      if (name !== undefined) return { type, name, namespace: type.namespaced ? own : '' };
      throw usageError(
        'no-name',
        'resource(s) were provided, but no name was specified',
        'On a cluster, owners looks up single objects: name each as TYPE/NAME.',
      );
    });
    const { loadOwnerChain } = await import('../sources/cluster/load-owner-chain.ts');
    const snapshot = await loadOwnerChain(cluster.client, cluster, starts);
    const selection = { targets, namespace, selectors: {} };
    return { snapshot, roots: selectObjects(snapshot, selection) };
  } finally {
    cluster.client.close();
  }
}
