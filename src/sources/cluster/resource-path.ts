import { pathWithin } from '../../kube/object-path.ts';
import type { ResourceType } from '../../kube/resource-type.ts';

/** The path of a kind's list (in one namespace, or everywhere), or of one object. */
export function resourcePath(
  type: Pick<ResourceType, 'group' | 'version' | 'resource'>,
  namespace?: string,
  name?: string,
): string {
  return pathWithin(type, namespace ?? '', name);
}
