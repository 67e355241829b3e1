import type { ResourceType } from '../../kube/resource-type.ts';

/** The path of a kind's list (in one namespace, or everywhere), or of one object. */
export function resourcePath(
  type: Pick<ResourceType, 'group' | 'version' | 'resource'>,
  namespace?: string,
  name?: string,
): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const inNamespace = namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const ofObject = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}${inNamespace}/${type.resource}${ofObject}`;
}
