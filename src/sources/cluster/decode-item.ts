import { factFieldsOf } from '../../kube/facts/kinds-with-facts.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { isPathSegment } from '../../kube/path-segment.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { decodeFacts } from './decode-facts.ts';
import { decodeMetadata } from './decode-metadata.ts';
import type { StringPool } from './string-pool.ts';
import { DELIMITED, WireError, type WireReader } from './wire-reader.ts';

/** Does recordOf keep spec and status fields of this kind? */
export function hasFacts(type: ResourceType): boolean {
  return factFieldsOf(type) !== undefined;
}

/**
 * Reads one item: a PartialObjectMetadata (1 metadata) or a full built-in object, of which the same
 * facts are kept as recordOf keeps of JSON.
 */
export function decodeItem(
  reader: WireReader,
  type: ResourceType,
  strings: StringPool,
): ObjectRecord {
  const { at: start, end } = reader;
  let metadata: [number, number] | undefined;
  let isWhole = false;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === (1 << 3) + DELIMITED) {
      const valueEnd = reader.delimited();
      metadata = [reader.at, valueEnd];
      reader.at = valueEnd;
    } else {
      isWhole = true;
      reader.skip(tag & 7);
    }
  }
  if (!metadata) throw new WireError('an item without metadata');
  const fields = isWhole ? factFieldsOf(type) : undefined;
  reader.at = start;
  const facts = fields && decodeFacts(reader, fields, strings);
  reader.end = metadata[1];
  reader.at = metadata[0];
  const record = decodeMetadata(reader, type, strings, facts);
  if (!isPathSegment(record.name)) throw new WireError('an item without a name');
  return record;
}
