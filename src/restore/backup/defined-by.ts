import { crdTypes, isCustomResourceDefinition } from '../../files/crd-types.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { SavedObject } from './saved-object.ts';

/** The kinds that a saved CustomResourceDefinition will serve when it is there again; nothing for others. */
export function definedBy(manifest: KubeObject | undefined): Pick<SavedObject, 'defines'> {
  return manifest && isCustomResourceDefinition(manifest) ? { defines: crdTypes(manifest) } : {};
}
