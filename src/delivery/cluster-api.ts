import type { ObjectRecord } from '../kube/object-record.ts';
import { parseApiVersion } from '../kube/resource-type.ts';
import type { Entry, KindTool } from './tool.ts';

/*
 * Cluster API v1.13.5 (reconcileDelete and filterOwnedDescendants of the Cluster controller, EnsurePausedCondition). A
 * Cluster deletes its machines before its control plane, that before its infrastructure, and then removes its finalizer:
 *
 * | read | by it |
 * | --- | --- |
 * | finalizer cluster.cluster.x-k8s.io | the Cluster deletes all that before this is removed |
 * | owner references of MachinePools, MachineDeployments, MachineSets and Machines | those of the Cluster are deleted first; their label cluster.x-k8s.io/cluster-name, by which it lists them, is written by their own controllers |
 * | spec.controlPlaneRef, spec.infrastructureRef | they are deleted next, whether it owns them or not |
 * | spec.paused, annotation cluster.x-k8s.io/paused | nothing is deleted, and the finalizer stays |
 *
 * The labels clusterctl.cluster.x-k8s.io/move and …/move-hierarchy are not read: no controller reads them. They choose what
 * `clusterctl move` copies (objectgraph.go:317 and 366 to 383), which then deletes at the source, past their finalizers, the
 * objects that it copied, while their Cluster is paused (mover.go:357, 404 and 1260 to 1312).
 */

const clusterGroup = 'cluster.x-k8s.io';
const clusterFinalizer = 'cluster.cluster.x-k8s.io';

export const cluster: KindTool = {
  title: 'Cluster API Cluster',
  // Others may have made its machines and what its references name.
  verb: 'has',
  group: clusterGroup,
  kind: 'Cluster',
  versions: ['v1beta2', 'v1beta1'],
  inventoryOf: ({ namespace, name, finalizers, annotations, facts = {} }) => {
    const { paused, controlPlaneRef, infrastructureRef } = facts;
    const isPaused = paused || annotations?.['cluster.x-k8s.io/paused'] !== undefined;
    const holds = finalizers.includes(clusterFinalizer);
    return {
      entries: [controlPlaneRef, infrastructureRef].flatMap((reference): Entry[] => {
        if (!reference) return [];
        const { apiVersion = '', apiGroup = parseApiVersion(apiVersion)?.group ?? '' } = reference;
        return [{ group: apiGroup, kind: reference.kind, namespace, name: reference.name }];
      }),
      marks: [clusterMark(namespace, name)],
      finalizer: holds && !isPaused ? clusterFinalizer : undefined,
      keepsAllBecause: isPaused
        ? 'it is paused'
        : holds
          ? ''
          : `it has no finalizer ${clusterFinalizer}`,
    };
  },
};

const descendants: ReadonlySet<string> = new Set([
  'MachinePool',
  'MachineDeployment',
  'MachineSet',
  'Machine',
]);

function clusterMark(namespace: string, name: string): string {
  return `cluster ${namespace}/${name}`;
}

/** By which a Cluster knows what it deletes first: it owns it. */
export function clusterMarkOf({
  type,
  namespace,
  ownerReferences,
}: ObjectRecord): string | undefined {
  if (type.group !== clusterGroup || !descendants.has(type.kind)) return undefined;
  const owner = ownerReferences.find(
    ({ apiVersion, kind }) =>
      kind === cluster.kind && parseApiVersion(apiVersion)?.group === clusterGroup,
  );
  return owner && clusterMark(namespace, owner.name);
}
