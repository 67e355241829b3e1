import { DOT, NINE, ZERO } from '../ascii.ts';
import type { FieldManager, Place } from '../object-record.ts';
import type { ResourceType } from '../resource-type.ts';
import { ByteList } from './byte-list.ts';
import type { SetWriter } from './text-sets-builder.ts';
import { packUidBytes, uidLength, uidWords } from './uids.ts';

/** Reads the bytes of a field, as a format spells them. */
export interface FieldReader {
  /** Hands the entries of a map to the writer; false when it is no map of texts, or empty. */
  readMap(bytes: Uint8Array, start: number, end: number, writer: SetWriter): boolean;
  readReferences(bytes: Uint8Array, start: number, end: number, writer: SetWriter): boolean;
  finalizers(bytes: Uint8Array, start: number, end: number): readonly string[];
}

const none = new Uint8Array(0);

/** Where the JSON in `facts` begins. */
export const factsAt = 2;

/** Where a field lies; nowhere: 0 to 0. */
export class ByteRange {
  at = 0;
  end = 0;

  clear(): void {
    this.at = this.end = 0;
  }

  /** Takes in what stands right behind it; false when it stands elsewhere. */
  extend(at: number, end: number): boolean {
    if (this.end === 0) this.at = at;
    else if (this.end !== at) return false;
    this.end = end;
    return true;
  }
}

/**
 * One object as a scanner finds it: where its fields lie in the bytes, and what lies in words and numbers anyway.
 * It is made once and filled for each object. What an object has beyond it, a scanner leaves to a whole record.
 */
export class ObjectBytes {
  readonly reader: FieldReader;
  type!: ResourceType;
  bytes: Uint8Array = none;
  view: DataView = new DataView(none.buffer);
  nameAt = 0;
  nameEnd = 0;
  namespaceAt = 0;
  namespaceEnd = 0;
  readonly uid = new Uint32Array(uidWords);
  hasUid = false;
  /** NaN: unset. */
  resourceVersion = Number.NaN;
  /** Seconds since 1970; NaN: unset. */
  creationTimestamp = Number.NaN;
  readonly labels = new ByteRange();
  /** Those that are kept, side by side. */
  readonly annotations = new ByteList(1024);
  readonly references = new ByteRange();
  readonly finalizers = new ByteRange();
  writers: readonly FieldManager[] | undefined;
  /** JSON of what facts are read from, behind room for the number of its type; '': none. */
  readonly facts = new ByteList(1024);
  place: Place | undefined;

  constructor(reader: FieldReader) {
    this.reader = reader;
  }

  /** Begins another object, whose fields are all unset. */
  begin(bytes: Uint8Array): void {
    if (this.bytes !== bytes) {
      this.bytes = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.nameAt = this.nameEnd = 0;
    this.namespaceAt = this.namespaceEnd = 0;
    this.hasUid = false;
    this.resourceVersion = Number.NaN;
    this.creationTimestamp = Number.NaN;
    this.labels.clear();
    this.annotations.length = 0;
    this.references.clear();
    this.finalizers.clear();
    this.writers = undefined;
    this.facts.length = factsAt;
  }

  /** False when the name is one that only some readers accept, or none. */
  setName(start: number, end: number): boolean {
    this.nameAt = start;
    this.nameEnd = end;
    return isPlainName(this.bytes, start, end);
  }

  /** False when it is no plain text. */
  setNamespace(start: number, end: number): boolean {
    this.namespaceAt = start;
    this.namespaceEnd = end;
    return start === end || isPlainName(this.bytes, start, end);
  }

  /** False when it is no UUID. */
  setUid(start: number, end: number): boolean {
    if (end - start !== uidLength) return false;
    this.hasUid = packUidBytes(this.bytes, start, this.uid, 0);
    return this.hasUid;
  }

  /** False when it is no number as JavaScript writes it. */
  setResourceVersion(start: number, end: number): boolean {
    this.resourceVersion = wholeNumberIn(this.bytes, start, end);
    return !Number.isNaN(this.resourceVersion);
  }
}

/** Letters, digits, `-`, `.`, `_`, `:` and the like: what needs no second look in any format. */
const isPlain = new Uint8Array(256);
for (let code = 0x21; code < 0x7f; code++)
  isPlain[code] = '/%\\"'.includes(String.fromCharCode(code)) ? 0 : 1;

function isPlainName(bytes: Uint8Array, start: number, end: number): boolean {
  // `.` and `..` lead elsewhere; a name that begins with a dot is looked at whole.
  if (end <= start || bytes[start] === DOT) return false;
  for (let at = start; at < end; at++) if (isPlain[bytes[at] as number] === 0) return false;
  return true;
}

/** So many digits are exact. */
const mostDigits = 15;

function wholeNumberIn(bytes: Uint8Array, start: number, end: number): number {
  const digits = end - start;
  if (digits < 1 || digits > mostDigits) return Number.NaN;
  if (bytes[start] === ZERO) return digits === 1 ? 0 : Number.NaN;
  let value = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < ZERO || byte > NINE) return Number.NaN;
    value = value * 10 + byte - ZERO;
  }
  return value;
}
