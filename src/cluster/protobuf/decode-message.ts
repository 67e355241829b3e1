import { certificateOf } from '../../kube/facts/certificate.ts';
import type { Form, NamedField } from '../../kube/facts/shape.ts';
import { compose, matched, numberIn } from '../../kube/facts/shape-in-json.ts';
import { microTimeOf, timeOf } from './decode-time.ts';
import type { StringPool } from './string-pool.ts';
import { DELIMITED, type WireReader } from './wire-reader.ts';

/** How to read a message: its fields by number, and the values before any was read. */
interface Message {
  readonly root: FieldTree;
  readonly unset: readonly undefined[];
}

/** By field number: the fields of the messages within, and what is kept at the end of a path. */
interface FieldTree {
  readonly branches: (FieldTree | undefined)[];
  readonly leaves: (Leaf | undefined)[];
}

interface Leaf {
  readonly index: number;
  readonly shape: Form;
}

const messages = new WeakMap<readonly NamedField[], Message>();

/**
 * What the message between `at` and `end` has in these fields, in their order. Numbers of fields that it has at all
 * are added to `seen`.
 */
export function readMessage(
  reader: WireReader,
  fields: readonly NamedField[],
  strings: StringPool,
  seen?: Set<number>,
): unknown[] {
  let message = messages.get(fields);
  if (!message) {
    message = { root: branchOf(fields), unset: fields.map(() => undefined) };
    messages.set(fields, message);
  }
  const values = message.unset.slice();
  readBranch(reader, message.root, values, strings, seen);
  return values;
}

function readBranch(
  reader: WireReader,
  { branches, leaves }: FieldTree,
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
        values[leaf.index] = readNumber(reader, leaf.shape, tag & 7, values[leaf.index]);
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

/** A repeated field adds to what was there `before`. */
function readNumber(reader: WireReader, shape: Form, wireType: number, before: unknown): unknown {
  const { form } = shape;
  if (form === 'list') {
    const value = readNumber(reader, shape.of, wireType, undefined);
    return value === undefined ? before : added(before, value);
  }
  if (form === 'integer' || form === 'non-zero' || form === 'seconds')
    return numberIn(form, reader.int64());
  if (form === 'optional-bool') return reader.varint() !== 0;
  if (form === 'true-only') return reader.varint() !== 0 || undefined;
  reader.skip(wireType);
  return undefined;
}

/** Reads the delimited value up to `end`; repeated fields add to what was there `before`. */
function readValue(reader: WireReader, shape: Form, before: unknown, strings: StringPool): unknown {
  const { bytes, at, end } = reader;
  switch (shape.form) {
    case 'text':
      if (at === end) return undefined;
      if (shape.pattern) return matched(bytes.toString('utf8', at, end), shape.pattern);
      return shape.repeats ? strings.shared(bytes, at, end) : strings.single(bytes, at, end);
    case 'string-or-empty':
      return strings.shared(bytes, at, end);
    case 'time':
      return timeOf(reader, strings);
    case 'micro-time':
      return microTimeOf(reader);
    case 'is-set':
      return true;
    case 'certificate':
      return at === end ? undefined : certificateOf(bytes.toString('latin1', at, end));
    case 'labels':
      return addEntry(before as Texts | undefined, reader, strings, shape.only);
    case 'plain-selector': {
      const selector = before as { readonly matchLabels: Texts } | undefined;
      return { matchLabels: addEntry(selector?.matchLabels, reader, strings) };
    }
    case 'list': {
      const value = readValue(reader, shape.of, undefined, strings);
      return value === undefined ? before : added(before, value);
    }
    case 'object':
      return compose(shape, readMessage(reader, shape.fields, strings));
    default:
      return undefined;
  }
}

/** The list of one field of one message grows in place. */
function added(before: unknown, value: unknown): unknown[] {
  const list = (before as unknown[] | undefined) ?? [];
  list.push(value);
  return list;
}

type Texts = Record<string, string>;

/** Adds the entry of a map of strings to those before it; a long one is not read unless its key is among those wanted. */
function addEntry(
  before: Texts | undefined,
  reader: WireReader,
  strings: StringPool,
  only?: ReadonlySet<string>,
): Texts | undefined {
  const { bytes, end } = reader;
  let key = '';
  let value = '';
  while (reader.at < end) {
    const tag = reader.varint();
    if ((tag & 7) !== DELIMITED) {
      reader.skip(tag & 7);
      continue;
    }
    const valueEnd = reader.delimited();
    if (tag >>> 3 === 1) {
      key = strings.shared(bytes, reader.at, valueEnd);
      // An annotation may be a megabyte long.
      if (only && !only.has(key)) return before;
    } else if (tag >>> 3 === 2) value = strings.shared(bytes, reader.at, valueEnd);
    reader.at = valueEnd;
  }
  if (only && !only.has(key)) return before;
  const map = before ?? {};
  map[key] = value;
  return map;
}

function branchOf(fields: readonly NamedField[]): FieldTree {
  const root: FieldTree = { branches: [], leaves: [] };
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
