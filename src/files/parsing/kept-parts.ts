import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from '../../kube/ascii.ts';
import type { Form, NamedField } from '../../kube/facts/shape.ts';
import type { ByteList } from '../../kube/records/byte-list.ts';
import { type JsonScanner, KeyTable } from './json-scanner.ts';

/** What is kept of a JSON value: of an object some fields, of an array some part of each element, of all else everything. */
export interface KeptPart {
  readonly isWhole: boolean;
  readonly fields: KeyTable<KeptField>;
  readonly element: KeptPart | undefined;
  /** An element of which nothing is kept counts as none. */
  readonly dropsEmpty: boolean;
  /** Has it fields of its own? */
  readonly isObject: boolean;
}

export interface KeptField {
  readonly key: Buffer;
  readonly bit: number;
  readonly part: KeptPart;
}

/** A part while it is put together. */
class Draft {
  isWhole = false;
  element: Draft | undefined;
  dropsEmpty = false;
  readonly fields = new Map<string, Draft>();

  field(name: string): Draft {
    const field = this.fields.get(name) ?? new Draft();
    this.fields.set(name, field);
    return field;
  }

  addFields(fields: readonly NamedField[]): void {
    for (const { path, shape } of fields) {
      let parent: Draft = this;
      for (const name of path) parent = parent.field(name);
      parent.addShape(shape);
    }
  }

  addShape(shape: Form): void {
    if (shape.form === 'object') this.addFields(shape.fields);
    else if (shape.form === 'list') {
      this.element ??= new Draft();
      this.element.addShape(shape.of);
      this.dropsEmpty = shape.of.form === 'object' && shape.of.unwrapped;
      // What is there is enough, whatever is in it.
    } else if (shape.form !== 'presence') this.isWhole = true;
  }

  finish(): KeptPart {
    const fields = [...this.fields].map(([name, draft], index) => {
      return { key: Buffer.from(name), bit: 1 << index, part: draft.finish() };
    });
    return {
      isWhole: this.isWhole || fields.length > mostFields,
      fields: new KeyTable(fields),
      element: this.element?.finish(),
      dropsEmpty: this.dropsEmpty,
      isObject: fields.length > 0,
    };
  }
}

/** Each has a bit. */
const mostFields = 31;

/** The part of an object that these fields are read from, without its metadata. */
export function partOf(fields: readonly NamedField[]): KeptPart {
  const draft = new Draft();
  draft.addFields(fields);
  draft.fields.delete('metadata');
  return draft.finish();
}

/**
 * Copies what is kept of the value at `at`, without white space; returns where the value ends, below 0 when it is
 * refused. What facts are read of it are those of the whole value.
 */
export function keepPart(json: JsonScanner, at: number, part: KeptPart, kept: ByteList): number {
  const first = json.bytes[at];
  if (!part.isWhole) {
    if (first === OPEN_BRACE && !part.element) return keepFields(json, at + 1, part, kept);
    if (first === OPEN_BRACKET && part.element) {
      return keepElements(json, at + 1, part.element, part.dropsEmpty, kept);
    }
  }
  const end = json.value(at);
  if (end > 0) copyValue(json.bytes, at, end, kept);
  return end;
}

function keepFields(json: JsonScanner, from: number, part: KeptPart, kept: ByteList): number {
  kept.push(OPEN_BRACE);
  let seen = 0;
  let at = from;
  for (let isFirst = true; ; isFirst = false) {
    const value = json.nextField(at, isFirst);
    if (value === -1) break;
    if (value < 0) return -1;
    const field = part.fields.find(json);
    if (!field) at = json.value(value);
    else {
      // Of two fields of one name the later one counts: that is left to JSON.parse.
      if ((seen & field.bit) !== 0) return -1;
      if (seen !== 0) kept.push(COMMA);
      seen |= field.bit;
      addKey(field.key, kept);
      at = keepPart(json, value, field.part, kept);
    }
    if (at < 0) return -1;
  }
  kept.push(CLOSE_BRACE);
  return json.end;
}

function keepElements(
  json: JsonScanner,
  from: number,
  part: KeptPart,
  dropsEmpty: boolean,
  kept: ByteList,
): number {
  kept.push(OPEN_BRACKET);
  const start = kept.length;
  let at = from;
  for (let isFirst = true; ; isFirst = false) {
    const value = json.nextElement(at, isFirst);
    if (value === -1) break;
    if (value < 0) return -1;
    const before = kept.length;
    if (before > start) kept.push(COMMA);
    const elementAt = kept.length;
    at = keepPart(json, value, part, kept);
    if (at < 0) return -1;
    const isEmpty = kept.length - elementAt === 2 && kept.bytes[elementAt] === OPEN_BRACE;
    if (dropsEmpty && isEmpty) kept.length = before;
  }
  kept.push(CLOSE_BRACKET);
  return json.end;
}

export function addKey(key: Buffer, kept: ByteList): void {
  kept.push(QUOTE);
  kept.add(key, 0, key.length);
  kept.push(QUOTE);
  kept.push(COLON);
}

/** Without the white space between its tokens. */
export function copyValue(bytes: Uint8Array, start: number, end: number, kept: ByteList): void {
  const first = bytes[start];
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    kept.add(bytes, start, end);
    return;
  }
  let isInString = false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) isInString = !isInString;
    else if (!isInString && byte <= SPACE) continue;
    kept.push(byte);
    if (byte === BACKSLASH) kept.push(bytes[++at] as number);
  }
}
