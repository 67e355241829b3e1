import type { ApiResponse } from '../../client/cluster-client.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { answeredList } from './answered-list.ts';
import { ListDecoder } from './list-decoder.ts';
import { isJson, readBody } from './read-body.ts';
import type { StringPool } from './string-pool.ts';

export interface ListPage {
  readonly records: readonly ObjectRecord[];
  /** The token of the next page; empty after the last one. */
  readonly continue: string;
}

/**
 * Reads one list from its body, protobuf while it arrives, JSON as a whole: a JSON body longer
 * than `jsonLimit` bytes is given up with BodyTooLong.
 */
export async function readList(
  response: ApiResponse,
  type: ResourceType,
  strings: StringPool,
  jsonLimit: number,
): Promise<ListPage> {
  if (isJson(response)) return readJsonList(await readBody(response, jsonLimit), type);
  const records: ObjectRecord[] = [];
  const decoder = new ListDecoder(type, strings, (record) => records.push(record));
  for await (const chunk of response.body) decoder.push(chunk);
  return { records, continue: decoder.finish().continue };
}

function readJsonList(body: Buffer, type: ResourceType): ListPage {
  const { items, continue: token } = answeredList(body);
  const records = items.map((item) => {
    // Lists do without managedFields, so that every record is the same whatever its encoding.
    delete item.metadata.managedFields;
    return recordOf(item, type);
  });
  return { records, continue: token };
}
