import type { ObjectReference } from '../../kube/object-reference.ts';

/** What loses most when it goes: all that is in it, its data, or what others need of it. */
const ranks: readonly (readonly string[])[] = [
  ['Namespace', 'CustomResourceDefinition'],
  ['PersistentVolume', 'PersistentVolumeClaim', 'VolumeSnapshot', 'VolumeSnapshotContent'],
  ['Node', 'APIService', 'StorageClass'],
  ['Secret', 'ConfigMap'],
  ['StatefulSet'],
];

type Ranked = Pick<ObjectReference, 'kind' | 'namespace'>;

/** In the order of what is lost with them; what is equal stays in its order. */
export function mostDangerousFirst<T extends Ranked>(objects: readonly T[]): T[] {
  return objects.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ kind, namespace }: Ranked): number {
  const rank = ranks.findIndex((kinds) => kinds.includes(kind));
  if (rank >= 0) return rank;
  return namespace === '' ? ranks.length : ranks.length + 1;
}
