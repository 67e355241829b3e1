import type { ObjectRecord } from '../../kube/object-record.ts';
import { ObjectBytes } from '../../kube/records/object-bytes.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { decodeItem } from './decode-item.ts';
import { scanItem, WireFieldReader } from './scan-item.ts';
import type { StringPool } from './string-pool.ts';
import {
  DELIMITED,
  FIXED32,
  FIXED64,
  fieldOf,
  VARINT,
  WireError,
  WireReader,
} from './wire-reader.ts';

/** What a list says about itself. */
export interface ListMetadata {
  readonly resourceVersion: string;
  /** Empty on the last page. */
  readonly continue: string;
}

/** Where the objects of a list go: a RecordList. */
export interface ObjectSink {
  readonly length: number;
  add(record: ObjectRecord): void;
  /** Does it make columns of objects, so that no record has to be made? */
  readonly takesBytes: boolean;
  /** False of an object that has to come as a record. */
  addBytes(object: ObjectBytes): boolean;
}

/** The bytes were right, but not all there. */
export class CutShort extends WireError {}

/** etcd refuses objects far smaller than this; a longer length is garbage, not an object. */
const longestItem = 256 * 1024 * 1024;
/** An apiVersion and a kind. */
const longestTypeMeta = 64 * 1024;

/**
 * Decodes `k8s\0`, runtime.Unknown and the list inside while the bytes arrive, cut anywhere.
 * It holds one item and one chunk at most. Works for PartialObjectMetadataList and for the full
 * lists of built-in kinds, which are framed alike.
 */
export class ListDecoder {
  readonly #type: ResourceType;
  readonly #strings: StringPool;
  readonly #sink: ObjectSink;
  readonly #object: ObjectBytes;
  /** The start of a field whose end has not arrived: `#carried` bytes of `#needed`. */
  #rest = Buffer.alloc(0);
  #carried = 0;
  #needed = 0;
  #state: 'magic' | 'envelope' | 'list' = 'magic';
  /** Bytes of the list still to come. */
  #listLeft = 0;
  #sawList = false;
  /** Bytes still to come of a field that is not kept. */
  #skipping = 0;
  #metadata: ListMetadata = { resourceVersion: '', continue: '' };

  constructor(type: ResourceType, strings: StringPool, sink: ObjectSink) {
    this.#type = type;
    this.#strings = strings;
    this.#sink = sink;
    this.#object = new ObjectBytes(new WireFieldReader());
    this.#object.type = type;
  }

  /** Takes the next bytes; throws WireError when they cannot be a list. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let at = 0;
    // A field that the last chunk cut is completed by itself, so that no chunk is copied whole.
    while (this.#carried > 0 && at < bytes.length) {
      const end = Math.min(at + this.#needed - this.#carried, bytes.length);
      this.#carry(bytes, at, end);
      at = end;
      if (this.#carried < this.#needed) return;
      this.#carried -= this.#decode(this.#rest.subarray(0, this.#carried));
    }
    if (at === bytes.length) return;
    const used = this.#decode(bytes.subarray(at));
    this.#carry(bytes, at + used, bytes.length);
  }

  /** Call when the response has ended; throws WireError when the list was cut short. */
  finish(): ListMetadata {
    if (!this.#sawList || this.#listLeft > 0 || this.#skipping > 0 || this.#carried > 0) {
      throw new CutShort('the list ends early');
    }
    return this.#metadata;
  }

  /** Decodes as far as the bytes go and returns how many were used up. */
  #decode(bytes: Buffer): number {
    let at = 0;
    if (this.#state === 'magic') {
      if (bytes.length < 4) return this.#waitFor(4, 0);
      if (bytes.toString('latin1', 0, 4) !== 'k8s\0') {
        throw new WireError('it does not start with k8s and a zero byte');
      }
      this.#state = 'envelope';
      at = 4;
    }
    const reader = new WireReader(bytes);
    for (;;) {
      const passed = Math.min(this.#skipping, bytes.length - at);
      this.#skipping -= passed;
      at += passed;
      if (this.#state === 'list' && this.#listLeft === 0 && this.#skipping === 0) {
        this.#state = 'envelope';
      }
      const header = fieldHeaderAt(bytes, at);
      if (!header) return this.#waitFor(bytes.length - at + 1, at);
      const size = header.bodyAt - at + header.length;
      if (this.#state === 'envelope') {
        if (header.field === 1 && header.wireType === DELIMITED) {
          if (header.length > longestTypeMeta) throw new WireError('its type is impossibly long');
          if (at + size > bytes.length) return this.#waitFor(size, at);
          refuseOtherKind(bytes.subarray(header.bodyAt, at + size));
          at += size;
          continue;
        }
        at = header.bodyAt;
        this.#enterField(header);
        continue;
      }
      if (size > this.#listLeft) throw new WireError('an item runs over the end of its list');
      if (header.wireType !== DELIMITED || header.field > 2) {
        at = header.bodyAt;
        this.#skipping = header.length;
      } else {
        if (header.length > longestItem) throw new WireError('an item is impossibly long');
        if (at + size > bytes.length) return this.#waitFor(size, at);
        reader.at = header.bodyAt;
        reader.end = header.bodyAt + header.length;
        if (header.field === 1) this.#metadata = listMetadataOf(reader);
        else this.#takeItem(reader);
        at += size;
      }
      this.#listLeft -= size;
    }
  }

  #takeItem(reader: WireReader): void {
    const { at, end } = reader;
    const isScanned = this.#sink.takesBytes && scanItem(reader, this.#object);
    if (isScanned && this.#sink.addBytes(this.#object)) return;
    reader.at = at;
    reader.end = end;
    this.#sink.add(decodeItem(reader, this.#type, this.#strings));
  }

  #carry(bytes: Buffer, start: number, end: number): void {
    const length = this.#carried + end - start;
    if (length > this.#rest.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#rest.length, 4096));
      this.#rest.copy(larger, 0, 0, this.#carried);
      this.#rest = larger;
    }
    bytes.copy(this.#rest, this.#carried, start, end);
    this.#carried = length;
  }

  #waitFor(count: number, at: number): number {
    this.#needed = count;
    return at;
  }

  /** runtime.Unknown: 1 TypeMeta, 2 raw, 3 contentEncoding, 4 contentType. */
  #enterField({ field, length }: FieldHeader): void {
    if (field === 2) {
      this.#state = 'list';
      this.#listLeft = length;
      this.#sawList = true;
    } else {
      if (field === 3 && length > 0) throw new WireError('its content is encoded');
      this.#skipping = length;
    }
  }
}

/** A Status, or any other object, would be read as an empty list. */
function refuseOtherKind(typeMeta: Buffer): void {
  const kind = fieldOf(typeMeta, 2).toString('utf8');
  if (!kind.endsWith('List')) throw new WireError(`it is a ${kind.slice(0, 63)}, not a list`);
}

interface FieldHeader {
  readonly field: number;
  readonly wireType: number;
  readonly bodyAt: number;
  /** Of the body, in bytes. */
  readonly length: number;
}

/** Undefined when the header has not arrived in full. */
function fieldHeaderAt(bytes: Buffer, at: number): FieldHeader | undefined {
  const tagEnd = varintEnd(bytes, at);
  if (tagEnd < 0) return undefined;
  const tag = new WireReader(bytes, at).varint();
  const field = Math.floor(tag / 8);
  const wireType = tag & 7;
  if (wireType === FIXED64) return { field, wireType, bodyAt: tagEnd, length: 8 };
  if (wireType === FIXED32) return { field, wireType, bodyAt: tagEnd, length: 4 };
  const valueEnd = varintEnd(bytes, tagEnd);
  if (valueEnd < 0) return undefined;
  if (wireType === VARINT) return { field, wireType, bodyAt: valueEnd, length: 0 };
  if (wireType !== DELIMITED) throw new WireError(`wire type ${wireType}`);
  const length = new WireReader(bytes, tagEnd).varint();
  return { field, wireType, bodyAt: valueEnd, length };
}

/** Where the varint at `at` ends, or -1 when it has not arrived in full. */
function varintEnd(bytes: Buffer, at: number): number {
  for (let next = at; next < bytes.length; next++) {
    if ((bytes[next] as number) < 0x80) return next + 1;
    if (next - at >= 9) throw new WireError('a number of more than ten bytes');
  }
  return -1;
}

function listMetadataOf(reader: WireReader): ListMetadata {
  let resourceVersion = '';
  let next = '';
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if ((tag & 7) === DELIMITED) {
      const end = reader.delimited();
      if (tag >>> 3 === 2) resourceVersion = reader.bytes.toString('utf8', reader.at, end);
      if (tag >>> 3 === 3) next = reader.bytes.toString('utf8', reader.at, end);
      reader.at = end;
    } else reader.skip(tag & 7);
  }
  return { resourceVersion, continue: next };
}
