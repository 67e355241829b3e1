import type { ObjectRecord } from '../../kube/object-record.ts';
import { recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { failureOf } from '../api-failure.ts';
import type { ApiResponse, ClusterClient } from '../connection/cluster-client.ts';
import { answeredList } from '../list/answered-list.ts';
import { ListDecoder } from '../protobuf/list-decoder.ts';
import { StringPool } from '../protobuf/string-pool.ts';
import { isJson, readBody } from '../read-body.ts';
import { metadataList } from '../resource-request.ts';
import { type WatchTarget, watchPath } from './watch-target.ts';

/**
 * Lists the newest metadata of a target in one piece, each object to `onRecord` as it arrives.
 * Resolves with the resourceVersion that a watch goes on from. It is sent once: throws ApiFailure
 * when the server refuses, GcError when the connection breaks.
 */
export async function listForWatch(
  client: ClusterClient,
  target: WatchTarget,
  onRecord: (record: ObjectRecord) => void,
  signal?: AbortSignal,
): Promise<string> {
  const response = await client.request({
    // In pages, what goes while they are read would be missed: each page is of the first one's time.
    path: watchPath(target, []),
    headers: { accept: metadataList },
    ...(signal && { signal }),
  });
  if (response.status !== 200) throw await failureOf(response);
  if (isJson(response)) return readJson(response, target.type, onRecord);
  const decoder = new ListDecoder(target.type, new StringPool(), onRecord);
  for await (const chunk of response.body) decoder.push(chunk);
  return decoder.finish().resourceVersion;
}

async function readJson(
  response: ApiResponse,
  type: ResourceType,
  onRecord: (record: ObjectRecord) => void,
): Promise<string> {
  const { items, resourceVersion } = answeredList(await readBody(response));
  for (const item of items) {
    delete item.metadata.managedFields;
    onRecord(recordOf(item, type));
  }
  return resourceVersion;
}
