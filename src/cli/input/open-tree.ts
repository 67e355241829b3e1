import type { ObjectRecord } from '../../kube/object-record.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { listCluster, openFiles } from './input.ts';
import { type Selectors, selectorsOf } from './scope.ts';
import type { Session } from './session.ts';
import { noted, refuseNameAndSelector, selectObjects, targetsOf } from './targets.ts';

export interface OpenedObjects {
  readonly snapshot: Snapshot;
  readonly roots: readonly ObjectRecord[];
}

type Flags = CommonFlags &
  Selectors & {
    readonly 'all-namespaces'?: boolean;
    readonly filename?: readonly string[] | undefined;
  };

/**
 * The roots of a tree and all that may hang below them. What a namespaced object owns is in its
 * namespace (GC-28), so only that one is listed; below a cluster-scoped root, everything is.
 */
export async function openTree(
  args: readonly string[],
  flags: Flags,
  session: Session,
): Promise<OpenedObjects> {
  // What is wrong with the command line is told before anything is read.
  selectorsOf(flags);
  const all = flags['all-namespaces'] ?? false;
  const targetsIn = await targetsOf(args, { ...flags, ...(all && { namespace: undefined }) });
  if (flags.from) {
    const snapshot = await openFiles(flags, flags.from);
    const targets = noted(targetsIn(snapshot.types));
    const namespace = all ? undefined : flags.namespace;
    return {
      snapshot,
      roots: selectObjects(snapshot, { targets, namespace, selectors: flags }),
    };
  }
  const cluster = await session.cluster();
  const targets = noted(targetsIn(cluster.types));
  refuseNameAndSelector(targets, flags);
  const namespace = all ? undefined : cluster.client.namespace;
  const narrow = namespace !== undefined && targets.every((target) => target.type.namespaced);
  const namespaces = new Set(targets.map((target) => target.namespace ?? namespace ?? ''));
  const snapshot = await listCluster(cluster, narrow ? [...namespaces] : undefined);
  return {
    snapshot,
    roots: selectObjects(snapshot, { targets, namespace, selectors: flags }),
  };
}
