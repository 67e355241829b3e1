import { stringify } from 'yaml';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';

const longestName = 150;
/** Names that Windows keeps for itself, whatever comes behind the dot. */
const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(?=\.|$)/;

/**
 * Where an object's manifest is in a backup: `objects/shop/deployments.apps/web.yaml`, and with `.age`
 * behind it in an encrypted one. Different
 * objects get different files also on a case-insensitive file system.
 */
export function objectFile(
  object: ObjectReference & { readonly resource: string; readonly namespaced: boolean },
  encrypted = false,
): string {
  const slash = object.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${object.apiVersion.slice(0, slash)}`;
  const folder = object.namespaced ? fileName(object.namespace, object.uid) : '_cluster';
  const kind = fileName(object.resource + group, object.uid);
  return `objects/${folder}/${kind}/${fileName(object.name, object.uid)}.yaml${encrypted ? '.age' : ''}`;
}

/** Where the field managers of an object are, beside its manifest: that can be applied as it is. */
export function managersFile(file: string): string {
  return file.replace(/\.yaml(\.age)?$/, '.managers.json$1');
}

/** Names of roles may hold anything but `/` and `%`: colons, blanks, capitals. */
function fileName(name: string, uid: string): string {
  const safe = name
    .replace(/[^a-z0-9.-]/gu, percent)
    .replace(reserved, (word) => percent(word) + word.slice(1))
    .replace(/^\.|\.$/g, percent);
  if (safe.length <= longestName) return safe;
  return `${safe.slice(0, longestName).replace(/%.?$/, '')}~${uid.replace(/[^a-z0-9-]/gi, '')}`;
}

/** The first character as URLs have it, also for what encodeURIComponent leaves alone. */
function percent(text: string): string {
  const code = text.codePointAt(0) ?? 0;
  return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** As people write manifests, and so that readers of YAML 1.1 see every string as the string it is. */
export function manifestYaml(object: KubeObject): string {
  return stringify(object, { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false });
}
