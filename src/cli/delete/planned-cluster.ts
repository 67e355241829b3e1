import type { ClusterClient } from '../../client/cluster-client.ts';
import type { PlannedCluster } from '../../plan/plan.ts';
import { jsonOf } from './failure.ts';

/** Which cluster this is: kube-system's uid tells, whatever address it has. */
export async function plannedCluster(client: ClusterClient): Promise<PlannedCluster> {
  const { requestWithRetry } = await import('../../client/retry.ts');
  const path = '/api/v1/namespaces/kube-system';
  const response = await requestWithRetry(client, { path, headers: { accept } });
  const answer = Object(await jsonOf(response)) as { metadata?: { uid?: unknown } };
  const uid = response.status === 200 ? answer.metadata?.uid : '';
  return { server: client.server, uid: typeof uid === 'string' ? uid : '' };
}

const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
