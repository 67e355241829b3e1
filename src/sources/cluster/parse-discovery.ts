import { isPathSegment } from '../../kube/path-segment.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { type FailedGroupVersion, unnamedGroup } from '../../kube/resource-types.ts';
import { type Json, jsonOf, textOf } from '../../snapshot/json-value.ts';

export interface DiscoveredTypes {
  readonly types: readonly ResourceType[];
  readonly failed: readonly FailedGroupVersion[];
}

/** What one entry of a list of kinds is: undefined, and it stands for none; `malformed`: for one that cannot be told. */
type ReadType = ResourceType | undefined | 'malformed';

/**
 * The types in one APIGroupDiscoveryList (v2 or v2beta1), in the server's order of preference. Of an
 * entry that is malformed the group version counts as failed; the others are kept.
 */
export function typesOfDiscovery(items: readonly unknown[], isCore: boolean): DiscoveredTypes {
  const types: ResourceType[] = [];
  const failed: FailedGroupVersion[] = [];
  for (const item of items) {
    const group = isCore ? '' : textOf(jsonOf(jsonOf(item)?.metadata)?.name);
    const versions = jsonOf(item)?.versions ?? [];
    if (group === undefined || (!isCore && !isPathSegment(group))) {
      failed.push(malformedEntry(unnamedGroup));
    } else if (jsonOf(item) === undefined || !Array.isArray(versions)) {
      failed.push(malformedEntry(group));
    } else {
      for (const version of versions) take(group, jsonOf(version), types, failed);
    }
  }
  return { types, failed };
}

function take(
  group: string,
  discovered: Json | undefined,
  types: ResourceType[],
  failed: FailedGroupVersion[],
): void {
  const version = textOf(discovered?.version);
  const resources = discovered?.resources ?? [];
  if (version === undefined || !isPathSegment(version)) failed.push(malformedEntry(group));
  else if (discovered?.freshness === 'Stale') {
    failed.push({ group, version, message: staleMessage(group, version) });
  } else if (!Array.isArray(resources)) failed.push(malformedEntry(group, version));
  else {
    const read = resources.map((resource) => aggregatedType(group, version, jsonOf(resource)));
    types.push(...read.filter(isType));
    if (read.includes('malformed')) failed.push(malformedEntry(group, version));
  }
}

function aggregatedType(group: string, version: string, resource: Json | undefined): ReadType {
  if (!resource) return 'malformed';
  const { responseKind = null } = resource;
  const kind = responseKind === null ? '' : (jsonOf(responseKind)?.kind ?? '');
  if (responseKind !== null && !jsonOf(responseKind)) return 'malformed';
  // client-go drops a resource without a kind, too: nothing can be addressed by it.
  if (kind === '') return undefined;
  return typeOf(group, version, {
    ...resource,
    kind,
    name: resource.resource,
    singularName: resource.singularResource,
    namespaced: resource.scope === 'Namespaced',
  });
}

/** The types in one APIResourceList of unaggregated discovery, subresources left out. */
export function typesOfResourceList(
  group: string,
  version: string,
  resources: readonly unknown[],
): DiscoveredTypes {
  const read = resources.map((entry): ReadType => {
    const resource = jsonOf(entry);
    const isSubresource = textOf(resource?.name)?.includes('/') ?? false;
    return isSubresource ? undefined : resource ? typeOf(group, version, resource) : 'malformed';
  });
  return {
    types: read.filter(isType),
    failed: read.includes('malformed') ? [malformedEntry(group, version)] : [],
  };
}

/** An APIResource; each of its names becomes part of a path. */
function typeOf(group: string, version: string, resource: Json): ReadType {
  const name = textOf(resource.name);
  const kind = textOf(resource.kind);
  const [verbs, shortNames, categories] = [
    resource.verbs,
    resource.shortNames,
    resource.categories,
  ].map(textsIn);
  if (name === undefined || !isPathSegment(name) || !kind) return 'malformed';
  if (!verbs || !shortNames || !categories) return 'malformed';
  return {
    group,
    version,
    kind,
    resource: name,
    singular: textOf(resource.singularName) || kind.toLowerCase(),
    shortNames,
    categories,
    namespaced: resource.namespaced === true,
    verbs,
  };
}

function isType(read: ReadType): read is ResourceType {
  return typeof read === 'object';
}

/** Undefined when it is no list of strings; Go writes an empty one as null or not at all. */
function textsIn(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  const isTexts = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isTexts ? value : undefined;
}

/** An answer of which a part makes no sense. */
export function malformedEntry(group: string, version?: string): FailedGroupVersion {
  const whose =
    group === unnamedGroup
      ? 'an API that the server does not name'
      : `the API ${[group, version].filter(Boolean).join('/') || 'of the core group'}`;
  return {
    group,
    version,
    message: `${whose} is described in a way that makes no sense, so the kinds it serves are unknown`,
  };
}

function staleMessage(group: string, version: string): string {
  return `the API ${group}/${version} is not answering, so the kinds it serves are unknown`;
}
