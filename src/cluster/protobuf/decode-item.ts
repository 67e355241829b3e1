import { certificateOf } from '../../kube/facts/certificate.ts';
import { decidesByFacts, factFieldsOf } from '../../kube/facts/object-facts.ts';
import type { Form, NamedField } from '../../kube/facts/shape.ts';
import { compose, composeFields } from '../../kube/facts/shape-in-json.ts';
import type { ObjectFacts, ObjectRecord } from '../../kube/object-record.ts';
import { isPathSegment } from '../../kube/path-segment.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { addEntry, decodeMetadata, formatMicroTime, timeOf } from './decode-metadata.ts';
import type { StringPool } from './string-pool.ts';
import { DELIMITED, WireError, type WireReader } from './wire-reader.ts';

/**
 * Are spec and status fields of this kind to be read? Of some kinds only `why` needs them, and the
 * objects are large: they are read with `all`.
 */
export function readsFacts(type: ResourceType, facts: boolean | 'all' | undefined): boolean {
  if (facts === undefined || facts === false) return false;
  return facts === 'all' ? factFieldsOf(type) !== undefined : decidesByFacts(type);
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

/** By field number: the fields of the messages within, and what is kept at the end of a path. */
interface Branch {
  readonly branches: (Branch | undefined)[];
  readonly leaves: (Leaf | undefined)[];
}

interface Leaf {
  readonly index: number;
  readonly shape: Form;
}

const roots = new WeakMap<readonly NamedField[], Branch>();

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

function readMessage(
  reader: WireReader,
  fields: readonly NamedField[],
  strings: StringPool,
  seen?: Set<number>,
): unknown[] {
  const values = new Array<unknown>(fields.length).fill(undefined);
  let root = roots.get(fields);
  if (!root) {
    root = branchOf(fields);
    roots.set(fields, root);
  }
  readBranch(reader, root, values, strings, seen);
  return values;
}

function readBranch(
  reader: WireReader,
  { branches, leaves }: Branch,
  values: unknown[],
  strings: StringPool,
  seen?: Set<number>,
): void {
  const { end } = reader;
  while (reader.at < end) {
    const tag = reader.varint();
    const number = tag >>> 3;
    const leaf = leaves[number];
    if ((tag & 7) !== DELIMITED) {
      if (leaf) {
        seen?.add(number);
        values[leaf.index] = readNumber(reader, leaf.shape, tag & 7);
      } else reader.skip(tag & 7);
      continue;
    }
    const valueEnd = reader.delimited();
    const branch = branches[number];
    if (branch || leaf) {
      seen?.add(number);
      reader.end = valueEnd;
      const { at } = reader;
      if (leaf) values[leaf.index] = readValue(reader, leaf.shape, values[leaf.index], strings);
      reader.at = at;
      if (branch) readBranch(reader, branch, values, strings);
      reader.end = end;
    }
    reader.at = valueEnd;
  }
}

function readNumber(reader: WireReader, { form }: Form, wireType: number): unknown {
  if (form === 'integer') return reader.int64();
  if (form === 'count') return reader.int64() || undefined;
  if (form === 'answer') return reader.varint() !== 0;
  if (form === 'flag') return reader.varint() !== 0 || undefined;
  reader.skip(wireType);
  return undefined;
}

/** Reads the delimited value up to `end`; repeated fields add to what was there `before`. */
function readValue(reader: WireReader, shape: Form, before: unknown, strings: StringPool): unknown {
  const { bytes, at, end } = reader;
  switch (shape.form) {
    case 'text':
      return at === end ? undefined : strings.shared(bytes, at, end);
    case 'any-text':
      return strings.shared(bytes, at, end);
    case 'time':
      return timeOf(reader, end, strings);
    case 'micro-time':
      return microTimeOf(reader);
    case 'presence':
      return true;
    case 'certificate':
      return at === end ? undefined : certificateOf(bytes.toString('latin1', at, end));
    case 'labels': {
      const map = (before as Record<string, string> | undefined) ?? {};
      addEntry(map, reader, end, strings);
      return map;
    }
    case 'plain-selector': {
      const selector = (before as { matchLabels: Record<string, string> } | undefined) ?? {
        matchLabels: {},
      };
      addEntry(selector.matchLabels, reader, end, strings);
      return selector;
    }
    case 'list': {
      const value = readValue(reader, shape.of, undefined, strings);
      if (value === undefined) return before;
      const list = (before as unknown[] | undefined) ?? [];
      list.push(value);
      return list;
    }
    case 'object':
      return compose(shape, readMessage(reader, shape.fields, strings));
    default:
      return undefined;
  }
}

function microTimeOf(reader: WireReader): string | undefined {
  if (reader.at === reader.end) return undefined;
  let seconds = 0;
  let nanoseconds = 0;
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if (tag === 8) seconds = reader.int64();
    else if (tag === 16) nanoseconds = reader.int64();
    else reader.skip(tag & 7);
  }
  return formatMicroTime(seconds, nanoseconds);
}

function branchOf(fields: readonly NamedField[]): Branch {
  const root: Branch = { branches: [], leaves: [] };
  for (const [index, { numbers, shape }] of fields.entries()) {
    let branch = root;
    for (const number of numbers.slice(0, -1)) {
      const next = branch.branches[number] ?? { branches: [], leaves: [] };
      branch.branches[number] = next;
      branch = next;
    }
    branch.leaves[numbers.at(-1) ?? 0] = { index, shape };
  }
  return root;
}
