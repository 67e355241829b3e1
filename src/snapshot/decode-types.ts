import type { ResourceType } from '../kube/resource-type.ts';
import type { FailedGroupVersion } from '../kube/resource-types.ts';
import { jsonOf, listOf, textOf } from './json-value.ts';

/** One entry of `resourceTypes`; undefined when it is not one. */
export function decodeResourceType(value: unknown): ResourceType | undefined {
  const json = jsonOf(value);
  const group = textOf(json?.group);
  const version = textOf(json?.version);
  const kind = textOf(json?.kind);
  const resource = textOf(json?.resource);
  const singular = textOf(json?.singular);
  const shortNames = listOf(json?.shortNames, textOf);
  const categories = listOf(json?.categories, textOf);
  const verbs = listOf(json?.verbs, textOf);
  const namespaced = json?.namespaced;
  if (group === undefined || version === undefined || kind === undefined) return undefined;
  if (resource === undefined || singular === undefined || typeof namespaced !== 'boolean') {
    return undefined;
  }
  if (!shortNames || !categories || !verbs) return undefined;
  return { group, version, kind, resource, singular, shortNames, categories, namespaced, verbs };
}

/** One entry of `failedGroupVersions`; undefined when it is not one. */
export function decodeFailedGroupVersion(value: unknown): FailedGroupVersion | undefined {
  const json = jsonOf(value);
  const group = textOf(json?.group);
  const message = textOf(json?.message);
  if (group === undefined || message === undefined) return undefined;
  return { group, version: textOf(json?.version), message };
}
