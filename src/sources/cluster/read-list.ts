import type { ApiResponse } from '../../client/cluster-client.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { ListDecoder } from './list-decoder.ts';
import { isJson, parseJson, readBody, UnreadableJson } from './read-body.ts';
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

interface JsonList {
  readonly metadata?: { readonly continue?: unknown };
  readonly items?: readonly { readonly metadata?: { managedFields?: unknown } }[] | null;
}

function readJsonList(body: Buffer, type: ResourceType): ListPage {
  const list = parseJson(body) as JsonList;
  if (list.items === undefined) throw new UnreadableJson('the answer is no list');
  const token = list.metadata?.continue;
  return {
    records: (list.items ?? []).map((item) => {
      // Lists do without managedFields, so that every record is the same whatever its encoding.
      if (item.metadata) delete item.metadata.managedFields;
      return recordOf(item, type);
    }),
    continue: typeof token === 'string' ? token : '',
  };
}
