import type { KubeObject } from '../kube/record-codec.ts';
import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import { containedIn } from './contained-in.ts';
import { prepareManifest, withoutAllocations, withoutVolume } from './prepare-manifest.ts';

/** Is the object that is there what a restoration would make, references aside? */
export function hasSameContent(type: ResourceType, saved: KubeObject, live: KubeObject): boolean {
  return containedIn(comparable(type, saved), comparable(type, live));
}

function comparable(type: ResourceType, object: KubeObject): object {
  const { manifest } = prepareManifest(type, object);
  const { metadata, ...rest } = leveled(groupResourceOf(type), manifest);
  const { finalizers: _, ...kept } = metadata;
  return { metadata: kept, ...rest };
}

/** What is given out anew may differ. */
function leveled(resource: string, manifest: KubeObject): KubeObject {
  if (resource === 'services') return withoutAllocations(manifest);
  if (resource === 'persistentvolumeclaims') return withoutVolume(manifest);
  return manifest;
}
