import { apiVersionOf, type ResourceType } from '../../src/kube/resource-type.ts';

/** `/apis/apps/v1/namespaces/shop/deployments/web`; without a name the collection, without a namespace in all of them. */
export function apiPath(
  type: Pick<ResourceType, 'group' | 'version' | 'resource' | 'namespaced'>,
  namespace = '',
  name = '',
): string {
  const root = type.group === '' ? '/api' : '/apis';
  const scope = type.namespaced && namespace !== '' ? ['namespaces', namespace] : [];
  return [root, apiVersionOf(type), ...scope, type.resource, ...(name ? [name] : [])].join('/');
}
