import type { ResourceType } from './resource-type.ts';

/** The API path of one object, or without a name of a collection: `/apis/apps/v1/namespaces/shop/deployments/web`. */
export function objectPath(type: ResourceType, namespace: string, name?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const within =
    type.namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  const item = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}${within}/${type.resource}${item}`;
}
