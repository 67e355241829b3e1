import type { ApiRequest } from '../client/cluster-client.ts';
import { objectPath } from '../kube/object-path.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { PlannedRequest } from '../plan/plan.ts';
import type { ExecuteOptions } from './execution.ts';

/**
 * The DELETE for a planned request. Its uid goes along as a precondition, so that no other object
 * of that name can be met, and sending it twice does no more than sending it once.
 */
export function deleteRequest(
  request: PlannedRequest,
  type: ResourceType,
  options: Pick<ExecuteOptions, 'useResourceVersion' | 'dryRun'>,
): ApiRequest {
  const { uid, resourceVersion, gracePeriodSeconds, propagationPolicy } = request;
  const withVersion = options.useResourceVersion && resourceVersion !== undefined;
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    preconditions: { uid, ...(withVersion && { resourceVersion }) },
    // Servers read the query only where there is no body.
    ...(options.dryRun && { dryRun: ['All'] }),
  };
  return {
    method: 'DELETE',
    path: objectPath(type, request.namespace, request.name) + (options.dryRun ? '?dryRun=All' : ''),
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  };
}

const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
