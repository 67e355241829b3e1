import { GcError } from '../errors.ts';
import { apiPath, invalidPath, segmentFault } from './path-segment.ts';
import type { ResourceType } from './resource-type.ts';

type Served = Pick<ResourceType, 'group' | 'version' | 'resource'>;

/** The API path of one object, or without a name of a collection: `/apis/apps/v1/namespaces/shop/deployments/web`. */
export function objectPath(type: ResourceType, namespace: string, name?: string): string {
  return pathWithin(type, type.namespaced ? namespace : '', name);
}

/** The same in exactly this namespace; empty: in none. */
export function pathWithin(type: Served, namespace: string, name?: string): string {
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
export function groupVersionSegments({
  group,
  version,
}: Pick<ResourceType, 'group' | 'version'>): string[] {
  return group === '' ? ['api', version] : ['apis', group, version];
}
