import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { objectPath } from '../../kube/resource-type.ts';
import type { DeleteOptions } from './delete-options.ts';
import type { DeletionTarget } from './targets/deletion-target.ts';
import { type Failure, failureOf, whenDeleting } from './targets/failure.ts';

/** Sends kubectl's own request for one object, without a precondition; undefined when it was accepted. */
export async function sendDelete(
  client: ClusterClient,
  target: DeletionTarget,
  {
    propagationPolicy,
    gracePeriodSeconds,
    dryRun,
  }: Pick<DeleteOptions, 'propagationPolicy' | 'gracePeriodSeconds' | 'dryRun'>,
): Promise<Failure | undefined> {
  const { type, namespace, name, source } = target;
  const query = dryRun === 'server' ? '?dryRun=All' : '';
  const { requestWithRetry } = await import('../../cluster/connection/retry.ts');
  const response = await requestWithRetry(client, {
    method: 'DELETE',
    path: objectPath(type, namespace, name) + query,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      propagationPolicy,
      // The server reads the query only where there is no body.
      ...(dryRun === 'server' && { dryRun: ['All'] }),
    }),
  });
  if (response.status >= 400) return whenDeleting(source, await failureOf(response));
  for await (const _ of response.body) {
    // Read to its end, so that the connection can be used again.
  }
  return undefined;
}
