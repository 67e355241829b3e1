import type { SavedObject } from '../../backup/saved-object.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { crdTypes, isCustomResourceDefinition } from '../files/crd-types.ts';

/** The kinds that a saved CustomResourceDefinition will serve when it is there again; nothing for others. */
export function definedBy(manifest: KubeObject | undefined): Pick<SavedObject, 'defines'> {
  return manifest && isCustomResourceDefinition(manifest) ? { defines: crdTypes(manifest) } : {};
}
