import { stringify } from 'yaml';
import type { KubeObject } from '../kube/record-codec.ts';

/** As people write manifests, and so that readers of YAML 1.1 see every string as the string it is. */
export function manifestYaml(object: KubeObject): string {
  return stringify(object, { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false });
}
