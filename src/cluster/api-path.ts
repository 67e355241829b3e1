import { GcError } from '../errors.ts';
import { invalidPath, segmentFault } from '../kube/names.ts';
import type { ResourceType } from '../kube/resource-type.ts';

type Served = Pick<ResourceType, 'group' | 'version' | 'resource'>;

/** The API path of one object, or without a name of a collection: `/apis/apps/v1/namespaces/shop/deployments/web`. */
export function objectPath(type: ResourceType, namespace: string, name?: string): string {
  return pathWithin(type, type.namespaced ? namespace : '', name);
}

/** The same in exactly this namespace; empty: in none. */
export function pathWithin(type: Served, namespace = '', name?: string): string {
  const fault =
    segmentFault('namespace', namespace) ??
    (name === '' ? 'resource name may not be empty' : segmentFault('resource name', name ?? ''));
  if (fault !== undefined) throw new GcError(fault, { code: invalidPath });
  return apiPath(
    ...groupVersionSegments(type),
    ...(namespace === '' ? [] : ['namespaces', namespace]),
    type.resource,
    ...(name === undefined ? [] : [name]),
  );
}

/** Where a group version is served: `/api/v1`, `/apis/apps/v1`. */
function groupVersionSegments({
  group,
  version,
}: Pick<ResourceType, 'group' | 'version'>): string[] {
  return group === '' ? ['api', version] : ['apis', group, version];
}

/**
 * `/api/v1/pods` from its segments. Every path is made here: a path with `..`, or with an empty
 * segment, would reach another resource. Throws a GcError for such a segment.
 */
export function apiPath(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encoded(segment)}`).join('');
}

function encoded(segment: string): string {
  const fault =
    segment === ''
      ? 'a path segment may not be empty, so there is no path to ask'
      : segmentFault('path segment', segment);
  if (fault !== undefined) throw new GcError(fault, { code: invalidPath });
  return encodeURIComponent(segment);
}
