import type { Coordinates } from '../backup/saved-object.ts';
import type { ClusterClient } from '../client/cluster-client.ts';
import { objectPath } from '../kube/object-path.ts';
import { jsonOf } from '../snapshot/json-value.ts';
import { fetchOne } from './fetch-manifests.ts';
import type { CreateOptions } from './restore-create.ts';
import { messageOf, sendWrite } from './restore-request.ts';

/**
 * Makes a PersistentVolume forget the uid of a claim that is gone, and keeps it reserved for the
 * claim of that name. Answers why it could not, or undefined.
 */
export async function releaseVolume(
  client: ClusterClient,
  volume: Coordinates,
  claim: Pick<Coordinates, 'namespace' | 'name'>,
  options: CreateOptions,
): Promise<string | undefined> {
  const object = { apiVersion: 'v1', kind: volume.type.kind, uid: '', ...volume };
  const fetched = await fetchOne(client, { object, type: volume.type }, { retry: options.retry });
  if (!('manifest' in fetched)) return fetched.message;
  const claimRef = jsonOf(jsonOf(fetched.manifest.spec)?.claimRef);
  if (claimRef?.uid === undefined) return undefined;
  if (claimRef.namespace !== claim.namespace || claimRef.name !== claim.name) {
    return `the volume ${volume.name} is used by another claim now`;
  }
  const path = '/spec/claimRef/uid';
  const answer = await sendWrite(
    client,
    {
      method: 'PATCH',
      path: `${objectPath(volume.type, '', volume.name)}?fieldManager=kubectl-gc${options.dryRun ? '&dryRun=All' : ''}`,
      headers: { 'content-type': 'application/json-patch+json', accept: 'application/json' },
      body: JSON.stringify([
        { op: 'test', path, value: claimRef.uid },
        { op: 'remove', path },
      ]),
    },
    options,
  );
  return answer.status < 300 ? undefined : messageOf(answer);
}
