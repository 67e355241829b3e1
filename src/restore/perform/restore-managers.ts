import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { fetchOne } from '../../cluster/list/fetch-manifests.ts';
import { fieldManager } from '../../cluster/write/write-request.ts';
import { fieldsListOf, fieldsOf, type Json, textOf } from '../../kube/json-value.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { objectPath } from '../../kube/resource-type.ts';
import { type CreatedObject, type CreateOptions, send } from './create-object.ts';
import { wantedAt } from './look-up.ts';

const tries = 5;

/**
 * Gives an object that was just created its field managers back, so that the next server-side apply of
 * one of them is no conflict. The API server makes the creator of an object the manager of all its
 * fields, whatever managedFields the new object has; it takes them in a later patch
 * (decodeLiveOrNew, fieldmanager.go). Returns why it could not, or undefined.
 */
export async function restoreManagers(
  client: ClusterClient,
  at: ObjectLocation,
  { uid = '', object: created }: Pick<CreatedObject, 'uid' | 'object'>,
  saved: readonly Json[],
  options: CreateOptions,
): Promise<string | undefined> {
  let live = created;
  for (let attempt = 1; ; attempt++) {
    if (!live) {
      const fetched = await fetchOne(client, wantedAt(at), { retry: options.retry });
      if (!('manifest' in fetched)) return fetched.message;
      live = fetched.manifest;
    }
    const metadata = fieldsOf(live.metadata);
    if (metadata.uid !== uid) return 'another object has its name now';
    const { outcome, message } = await send(
      client,
      {
        verb: 'patch',
        path: objectPath(at.type, at.namespace, at.name),
        patchType: 'json',
        guards: { uid, resourceVersion: textOf(metadata.resourceVersion) },
        body: [
          {
            op: 'add',
            path: '/metadata/managedFields',
            value: managersOf(saved, fieldsListOf(metadata.managedFields)),
          },
        ],
      },
      options,
    );
    if (outcome === 'done') return undefined;
    if (outcome !== 'changed' || attempt >= tries) return message;
    live = undefined;
  }
}

/** The saved managers, and those that have written to the new object since. A status is not restored. */
function managersOf(saved: readonly Json[], live: readonly Json[]): Json[] {
  return [
    ...saved.filter(({ subresource }) => !subresource),
    ...live.filter(({ manager, subresource }) => manager !== fieldManager || subresource),
  ];
}
