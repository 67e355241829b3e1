import type { ResourceTypes } from '../kube/resource-types.ts';
import type { SavedObject } from './saved-object.ts';

/**
 * The saved objects with their kinds as this cluster serves them: files alone do not say what a
 * kind is called in paths, nor whether it is namespaced. `namespace` is for manifests without one.
 */
export function inClusterTerms(
  saved: readonly SavedObject[],
  types: ResourceTypes,
  namespace: string,
): SavedObject[] {
  return saved.map((object) => {
    const { manifest, type } = object;
    const apiVersion = manifest?.apiVersion;
    const served = apiVersion === undefined ? undefined : types.find(apiVersion, type.kind);
    const own = served ?? type;
    const within = own.namespaced ? object.namespace || namespace : '';
    if (!manifest || within === object.namespace)
      return { ...object, type: own, namespace: within };
    const { namespace: _, ...metadata } = manifest.metadata;
    const placed = own.namespaced ? { ...metadata, namespace: within } : metadata;
    return { ...object, type: own, namespace: within, manifest: { ...manifest, metadata: placed } };
  });
}
