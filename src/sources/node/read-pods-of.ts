import type { ClusterClient } from '../../client/cluster-client.ts';
import { answeredList } from '../cluster/answered-list.ts';
import { ApiFailure, failureOf } from '../cluster/api-failure.ts';
import { get } from '../cluster/get.ts';
import { readBody, UnreadableJson } from '../cluster/read-body.ts';
import type { NodePieces } from './node-pieces.ts';
import { readPod } from './read-pods.ts';

const pageSize = 500;

/** Reads the pods of a node from the API server, where the kubelet does not tell them. */
export async function readPodsOf(
  client: ClusterClient,
  node: string,
  pieces: NodePieces,
): Promise<void> {
  const selector = encodeURIComponent(`spec.nodeName=${node}`);
  const read: ReturnType<typeof readPod>[] = [];
  let token = '';
  try {
    do {
      const rest = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
      const path = `/api/v1/pods?fieldSelector=${selector}&limit=${pageSize}${rest}`;
      const response = await get(client, path, 'application/json', {});
      if (response.status !== 200) {
        const { message, status } = await failureOf(response);
        const reason = status === 401 || status === 403 ? 'forbidden' : 'unavailable';
        const said = `cannot list the pods of node ${node}: ${message}`;
        pieces.problems.push({ reason, message: said, resource: 'pods' });
        return;
      }
      const list = answeredList(await readBody(response));
      read.push(...list.items.map(readPod));
      token = list.continue;
    } while (token !== '');
  } catch (error) {
    if (!(error instanceof UnreadableJson || error instanceof ApiFailure)) throw error;
    const message = `cannot list the pods of node ${node}: ${error.message}`;
    pieces.problems.push({ reason: 'unreadable', message, resource: 'pods' });
    return;
  }
  pieces.pods = read.map(({ pod }) => pod);
  pieces.podContainers = read.flatMap(({ containers }) => containers);
}
