import { stringify } from 'yaml';

/** Written so that readers of YAML 1.1, kubectl among them, and of 1.2 see `on`, `0x1` and `0o17` as the strings they are. */
export function renderYaml(document: unknown): string {
  return stringify(document, { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false });
}
