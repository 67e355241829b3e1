import { stringify } from 'yaml';

/** Written so that YAML 1.1 readers, kubectl among them, see `on`, `yes` and `0x1` as the strings they are. */
export function renderYaml(document: unknown): string {
  return stringify(document, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
}
