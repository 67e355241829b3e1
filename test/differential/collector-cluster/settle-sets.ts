import type { KubeObject } from '../../../src/kube/record-codec.ts';
import type { ControlPlane } from '../../support/control-plane.ts';
import { eventually } from '../../support/eventually.ts';
import type { Draw } from './draw.ts';

interface StoredSet {
  readonly metadata: { readonly generation: number };
  readonly status?: { readonly observedGeneration?: number };
}

/**
 * Lets their controllers make the revisions, pods and claims of StatefulSets and DaemonSets, which nobody
 * can make up, and then asks for less history, other policies and fewer replicas.
 */
export async function settleSets(
  plane: ControlPlane,
  made: readonly KubeObject[],
  draw: Draw,
): Promise<void> {
  const sets = made.filter(({ kind }) => kind === 'StatefulSet' || kind === 'DaemonSet');
  const pathOf = ({ kind, metadata }: KubeObject) =>
    `/apis/apps/v1/namespaces/${metadata.namespace}/${kind.toLowerCase()}s/${metadata.name}`;
  const settled = (set: KubeObject) =>
    eventually(`${set.kind} ${set.metadata.name} is observed`, async () => {
      const { metadata, status } = await plane.get<StoredSet>(pathOf(set));
      return status?.observedGeneration === metadata.generation;
    });
  await plane.startControllers(['statefulset-controller', 'daemonset-controller']);
  await Promise.all(sets.map(settled));
  for (const set of sets.filter(() => draw.chance(0.5))) {
    // Pods stay as they are, so that an older revision is in use.
    const spec = { containers: [{ name: 'c', image: 'newer' }] };
    await plane.patch(pathOf(set), { spec: { template: { spec } } });
    await settled(set);
  }
  await plane.stopControllers();
  for (const set of sets) {
    const ofStatefulSet = {
      replicas: draw.between(0, 3),
      persistentVolumeClaimRetentionPolicy: {
        whenScaled: draw.one(['Retain', 'Delete']),
        whenDeleted: draw.one(['Retain', 'Delete']),
      },
    };
    const isStateful = set.kind === 'StatefulSet';
    const spec = { revisionHistoryLimit: draw.between(0, 4), ...(isStateful && ofStatefulSet) };
    const { metadata } = await plane.patch<StoredSet>(pathOf(set), { spec });
    if (draw.chance(0.5)) continue;
    const status = { observedGeneration: metadata.generation };
    await plane.patch(`${pathOf(set)}/status`, { status });
  }
}
