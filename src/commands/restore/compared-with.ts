import { clusterIdentity } from '../../cluster/cluster-identity.ts';
import type { PlannedCluster } from '../../deletion/plan/plan.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { lookUpLive } from '../../restore/perform/look-up.ts';
import { type LiveObjects, liveInSnapshot } from '../../restore/plan/live-objects.ts';
import type { OwnerLookup } from '../../restore/relink/owner-lookup.ts';
import { openFiles } from '../../shell/input/read-files.ts';
import { oneNamespaceInFiles } from '../../shell/input/scope.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import { withProgress } from '../../shell/terminal/progress.ts';
import type { RestoreFlags } from './restore-options.ts';

/** What a backup or manifests are compared with: a cluster, or a snapshot of one. */
export interface Compared {
  readonly where: PlannedCluster;
  readonly types: ResourceTypes;
  /** For manifests without one. */
  readonly namespace: string;
  lookUp(places: readonly ObjectLocation[], lookup: OwnerLookup): Promise<LiveObjects>;
}

export async function comparedWithCluster({ client, types }: OpenedCluster): Promise<Compared> {
  return {
    where: await clusterIdentity(client),
    types,
    namespace: client.namespace,
    lookUp: (places, lookup) =>
      withProgress('Looking at what is there', (progress) =>
        lookUpLive(client, places, lookup, {
          onProgress: (done) =>
            progress.update(`Looking at what is there: ${done} of ${places.length} objects`),
        }),
      ),
  };
}

/** `--against`: nothing is contacted. */
export async function comparedWithFiles(
  paths: readonly string[],
  flags: RestoreFlags,
): Promise<Compared> {
  const snapshot = await openFiles(flags, paths);
  const system = snapshot.records.find(
    ({ type, name }) => type.kind === 'Namespace' && name === 'kube-system',
  );
  return {
    where: { server: '', uid: system?.uid ?? '' },
    types: snapshot.types,
    namespace: await oneNamespaceInFiles(flags),
    lookUp: async (places) => liveInSnapshot(snapshot, places),
  };
}
