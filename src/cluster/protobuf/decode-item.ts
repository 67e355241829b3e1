import { metadataFields } from '../../kube/facts/metadata.ts';
import { factFieldsOf, hasOwnFacts, needsFacts } from '../../kube/facts/object-facts.ts';
import type { NamedField } from '../../kube/facts/shape.ts';
import { composeFields } from '../../kube/facts/shape-in-json.ts';
import { isPathSegment } from '../../kube/names.ts';
import { type ObjectFacts, type ObjectRecord, recordWith } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { readMessage } from './decode-message.ts';
import type { StringPool } from './string-pool.ts';
import { DELIMITED, WireError, type WireReader } from './wire-reader.ts';

/**
 * Of which kinds spec and status fields are read: those that decide by them; `all`: also those of which only `why`
 * needs them, as the objects are large; `few`: only what is in no namespace, and Leases.
 */
export type FactsWanted = boolean | 'all' | 'few';

export function readsFacts(type: ResourceType, facts: FactsWanted | undefined): boolean {
  if (facts === undefined || facts === false) return false;
  if (facts === 'all') return hasOwnFacts(type);
  const { namespaced, kind, group } = type;
  const isOfFew = !namespaced || kind === 'Lease' || !isBuiltInGroup(group);
  return (facts === true || isOfFew) && needsFacts(type);
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
  const record = recordWith(type, readMessage(reader, metadataFields, strings), facts);
  if (!isPathSegment(record.name)) throw new WireError('an item without a name');
  return record;
}

/** Reads the message between `at` and `end` into facts, as factsOf does with JSON. */
function decodeFacts(
  reader: WireReader,
  fields: readonly NamedField[],
  strings: StringPool,
): ObjectFacts | undefined {
  const seen = new Set<number>();
  const values = readMessage(reader, fields, strings, seen);
  const isRead = fields.some(({ numbers: [root = 0] }) => root !== METADATA && seen.has(root));
  if (!isRead) return undefined;
  return composeFields(fields, values, ({ numbers: [root = 0] }) => seen.has(root));
}

const METADATA = 1;
