import { json } from 'node:stream/consumers';
import type { ClusterClient } from './connection/cluster-client.ts';
import { get, metadataOrJson } from './get.ts';

/** Which cluster this is: kube-system's uid identifies it, whatever its address; empty where it may not be read. */
export async function clusterIdentity(
  client: ClusterClient,
): Promise<{ readonly server: string; readonly uid: string }> {
  const response = await get(client, '/api/v1/namespaces/kube-system', metadataOrJson, {});
  const answer = Object(await json(response.body).catch(() => undefined)) as {
    readonly metadata?: { readonly uid?: unknown };
  };
  const uid = response.status === 200 ? answer.metadata?.uid : '';
  return { server: client.server, uid: typeof uid === 'string' ? uid : '' };
}
