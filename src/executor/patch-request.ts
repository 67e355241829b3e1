import type { ApiRequest } from '../client/cluster-client.ts';
import { objectPath } from '../kube/object-path.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { PlannedRequest } from '../plan/plan.ts';
import type { ExecuteOptions } from './execution.ts';

/**
 * The PATCH of a planned request. The uid in it is a precondition: the server takes it for no other
 * object of that name.
 */
export function patchRequest(
  { namespace, name, uid, resourceVersion, patch }: PlannedRequest,
  type: ResourceType,
  options: Pick<ExecuteOptions, 'useResourceVersion' | 'dryRun'>,
): ApiRequest {
  const withVersion = options.useResourceVersion && resourceVersion !== undefined;
  const { metadata, ...rest } = patch?.body ?? {};
  const body = {
    metadata: { ...Object(metadata), uid, ...(withVersion && { resourceVersion }) },
    ...rest,
  };
  const query = `?fieldManager=kubectl-gc${options.dryRun ? '&dryRun=All' : ''}`;
  const path = objectPath(type, namespace, name);
  return {
    method: 'PATCH',
    path: `${path}${patch?.subresource ? `/${patch.subresource}` : ''}${query}`,
    headers: {
      'content-type':
        patch?.type === 'strategic'
          ? 'application/strategic-merge-patch+json'
          : 'application/merge-patch+json',
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    },
    body: JSON.stringify(body),
  };
}
