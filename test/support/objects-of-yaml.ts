import { yamlValue } from '../../src/files/parsing/yaml-value.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';

/** The objects of a list in YAML, as a test writes them. */
export function objectsOfYaml(text: string): KubeObject[] {
  return yamlValue(text) as KubeObject[];
}
