import { fieldsOf, textAt } from '../kube/json-value.ts';
import type { ClusterClient } from './connection/cluster-client.ts';
import { get, metadataOrJson } from './get.ts';
import { parseJsonBody, readBody } from './read-body.ts';

/** Which cluster this is: kube-system's uid identifies it, whatever its address; empty where it may not be read. */
export async function clusterIdentity(
  client: ClusterClient,
): Promise<{ readonly server: string; readonly uid: string }> {
  const response = await get(client, '/api/v1/namespaces/kube-system', metadataOrJson, {});
  const answer = await readBody(response)
    .then(parseJsonBody)
    .catch(() => undefined);
  const uid = response.status === 200 ? textAt(fieldsOf(answer), 'metadata.uid') : '';
  return { server: client.server, uid };
}
