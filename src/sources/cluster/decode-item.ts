import type { ObjectFacts, ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { noTaints, type Taint } from '../../kube/taint.ts';
import { decodeMetadata } from './decode-metadata.ts';
import { readTaint } from './read-taint.ts';
import type { StringPool } from './string-pool.ts';
import { DELIMITED, WireError, type WireReader } from './wire-reader.ts';

type MutableFacts = { -readonly [Fact in keyof ObjectFacts]: ObjectFacts[Fact] };

const kindsWithFacts = new Set([
  'Pod',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
]);

/** Does recordOf keep spec and status fields of this kind? */
export function hasFacts(type: ResourceType): boolean {
  return type.group === '' && kindsWithFacts.has(type.kind);
}

/**
 * Reads one item: a PartialObjectMetadata (1 metadata) or a full built-in object
 * (1 metadata, 2 spec, 3 status), of which the same facts are kept as recordOf keeps of JSON.
 */
export function decodeItem(
  reader: WireReader,
  type: ResourceType,
  strings: StringPool,
): ObjectRecord {
  const { end } = reader;
  let metadata: [number, number] | undefined;
  const withFacts = hasFacts(type);
  let facts: MutableFacts | undefined;
  while (reader.at < end) {
    const tag = reader.varint();
    if ((tag & 7) !== DELIMITED) {
      reader.skip(tag & 7);
      continue;
    }
    const valueEnd = reader.delimited();
    const field = tag >>> 3;
    if (field === 1) metadata = [reader.at, valueEnd];
    else if (withFacts && (field === 2 || field === 3)) {
      facts ??= emptyFacts(type);
      reader.end = valueEnd;
      if (field === 2) readSpec(reader, type, facts, strings);
      else if (type.kind !== 'Node') readStatus(reader, facts, strings);
      reader.end = end;
    }
    reader.at = valueEnd;
  }
  if (!metadata) throw new WireError('an item without metadata');
  reader.at = metadata[0];
  reader.end = metadata[1];
  return decodeMetadata(reader, type, strings, facts);
}

function emptyFacts(type: ResourceType): MutableFacts {
  if (type.kind === 'Pod') return { nodeName: '' };
  if (type.kind === 'Node') return { taints: noTaints };
  return type.kind === 'Namespace' ? { specFinalizers: [] } : {};
}

/** PodSpec: 4 terminationGracePeriodSeconds, 10 nodeName. NamespaceSpec: 1 finalizers. NodeSpec: 5 taints. */
function readSpec(
  reader: WireReader,
  type: ResourceType,
  facts: MutableFacts,
  strings: StringPool,
): void {
  const specFinalizers: string[] = [];
  const taints: Taint[] = [];
  while (reader.at < reader.end) {
    const tag = reader.varint();
    const field = tag >>> 3;
    if ((tag & 7) === DELIMITED) {
      const end = reader.delimited();
      if (type.kind === 'Pod' && field === 10) {
        facts.nodeName = strings.shared(reader.bytes, reader.at, end);
      } else if (type.kind === 'Namespace' && field === 1) {
        specFinalizers.push(strings.shared(reader.bytes, reader.at, end));
      } else if (type.kind === 'Node' && field === 5) {
        taints.push(readTaint(reader, end, strings));
      }
      reader.at = end;
    } else if (type.kind === 'Pod' && field === 4) {
      facts.terminationGracePeriodSeconds = reader.int64();
    } else reader.skip(tag & 7);
  }
  if (type.kind === 'Namespace') facts.specFinalizers = specFinalizers;
  if (taints.length > 0) facts.taints = taints;
}

/** Every status but a Node's has its phase in field 1. */
function readStatus(reader: WireReader, facts: MutableFacts, strings: StringPool): void {
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if ((tag & 7) !== DELIMITED) {
      reader.skip(tag & 7);
      continue;
    }
    const end = reader.delimited();
    // JSON leaves an empty phase out.
    if (tag >>> 3 === 1 && end > reader.at) {
      facts.phase = strings.shared(reader.bytes, reader.at, end);
    }
    reader.at = end;
  }
}
