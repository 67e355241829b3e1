import type { ObjectRecord } from '../../kube/object-record.ts';
import { shareEqualParts } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { mayListAs } from '../../kube/resource-types.ts';
import { decodeItem } from './decode-item.ts';
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

/** The bytes were right, but not all there. */
export class TruncatedList extends WireError {}

/** etcd refuses objects far smaller than this; a longer length is garbage, not an object. */
const longestItem = 256 * 1024 * 1024;
/** An apiVersion and a kind. */
const longestTypeMeta = 64 * 1024;

/** Chunks are put together in so many bytes, at first and at most; only a larger item takes more. */
const firstRoom = 4 * 1024;
const roomForChunks = 64 * 1024;

/**
 * Decodes `k8s\0`, runtime.Unknown and the list inside while the bytes arrive, split anywhere.
 * It keeps at most one item and 64 KiB. Works for PartialObjectMetadataList and for the full
 * lists of built-in kinds, which are framed alike.
 */
export class ListDecoder {
  readonly #type: ResourceType;
  readonly #strings: StringPool;
  readonly #records: ObjectRecord[];
  /**
   * Chunks of 2 KB and less, as servers send them, are joined here: so few items are split, and one reader
   * reads many chunks. The bytes from `at` to `end` are not decoded yet.
   */
  #reader = new WireReader(Buffer.allocUnsafeSlow(firstRoom), 0, 0);
  /** With fewer bytes there is nothing to decode. */
  #needed = 0;
  readonly #header = { field: 0, wireType: 0, bodyAt: 0, length: 0 };
  #state: 'magic' | 'envelope' | 'list' = 'magic';
  /** Bytes of the list still to come. */
  #listLeft = 0;
  #sawList = false;
  /** Bytes still to come of a field that is not kept. */
  #skipping = 0;
  #metadata: ListMetadata = { resourceVersion: '', continue: '' };

  /** Adds the objects to `records`. */
  constructor(type: ResourceType, strings: StringPool, records: ObjectRecord[]) {
    this.#type = type;
    this.#strings = strings;
    this.#records = records;
  }

  /** Takes the next bytes; throws WireError when they cannot be a list. */
  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      this.#makeRoom();
      const { bytes, end } = this.#reader;
      const to = Math.min(chunk.length, from + bytes.length - end);
      bytes.set(to - from === chunk.length ? chunk : chunk.subarray(from, to), end);
      this.#reader.end = end + to - from;
      from = to;
      this.#decode();
    }
  }

  /** Call when the response has ended; throws WireError when the list was cut short. */
  finish(): ListMetadata {
    const { at, end } = this.#reader;
    if (!this.#sawList || this.#listLeft > 0 || this.#skipping > 0 || at < end) {
      throw new TruncatedList('the list ends early');
    }
    return this.#metadata;
  }

  /** Where the room is used up, what is not decoded moves to the front, or into a larger room. */
  #makeRoom(): void {
    const { bytes, at, end } = this.#reader;
    if (end < bytes.length) return;
    const grows = bytes.length < roomForChunks || end - at > bytes.length / 2;
    const room = grows ? Buffer.allocUnsafeSlow(2 * bytes.length) : bytes;
    bytes.copy(room, 0, at, end);
    if (grows) this.#reader = new WireReader(room);
    this.#reader.at = 0;
    this.#reader.end = end - at;
  }

  /** Decodes as far as the bytes go. */
  #decode(): void {
    const reader = this.#reader;
    const { end } = reader;
    if (end - reader.at < this.#needed) return;
    if (this.#state === 'magic') {
      if (!this.#has(4)) return;
      if (reader.bytes.toString('latin1', reader.at, reader.at + 4) !== 'k8s\0') {
        throw new WireError('it does not start with k8s and a zero byte');
      }
      this.#state = 'envelope';
      reader.at += 4;
    }
    const header = this.#header;
    for (;;) {
      const passed = Math.min(this.#skipping, end - reader.at);
      this.#skipping -= passed;
      reader.at += passed;
      if (this.#state === 'list' && this.#listLeft === 0 && this.#skipping === 0) {
        this.#state = 'envelope';
      }
      const { at } = reader;
      const isThere = readHeader(reader, header);
      reader.at = at;
      if (!isThere) {
        this.#needed = end - at + 1;
        return;
      }
      const size = header.bodyAt - at + header.length;
      if (this.#state === 'envelope') {
        if (header.field === 1 && header.wireType === DELIMITED) {
          if (header.length > longestTypeMeta) throw new WireError('its type is impossibly long');
          if (!this.#has(size)) return;
          refuseOtherKind(reader.bytes.subarray(header.bodyAt, at + size), this.#type);
          reader.at = at + size;
          continue;
        }
        reader.at = header.bodyAt;
        this.#enterField(header);
        continue;
      }
      if (size > this.#listLeft) throw new WireError('an item runs over the end of its list');
      if (header.wireType !== DELIMITED || header.field > 2) {
        reader.at = header.bodyAt;
        this.#skipping = header.length;
      } else {
        if (header.length > longestItem) throw new WireError('an item is impossibly long');
        if (!this.#has(size)) return;
        reader.at = header.bodyAt;
        reader.end = at + size;
        if (header.field === 1) this.#metadata = listMetadataOf(reader);
        else this.#takeItem(reader);
        reader.at = at + size;
        reader.end = end;
      }
      this.#listLeft -= size;
    }
  }

  /** Have so many bytes arrived? If not, they are waited for. */
  #has(count: number): boolean {
    const { at, end } = this.#reader;
    const isThere = end - at >= count;
    this.#needed = isThere ? 0 : count;
    return isThere;
  }

  #takeItem(reader: WireReader): void {
    const record = decodeItem(reader, this.#type, this.#strings);
    shareEqualParts(record, this.#records.at(-1));
    this.#records.push(record);
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
function refuseOtherKind(typeMeta: Buffer, type: ResourceType): void {
  const kind = fieldOf(typeMeta, 2).toString('utf8');
  if (!kind.endsWith('List')) throw new WireError(`it is a ${kind.slice(0, 63)}, not a list`);
  if (!mayListAs(type, kind))
    throw new WireError(`it is a ${kind.slice(0, 63)}, not of ${type.kind}s`);
}

interface FieldHeader {
  field: number;
  wireType: number;
  bodyAt: number;
  /** Of the body, in bytes. */
  length: number;
}

/** Reads the header where the reader stands; false when it has not arrived in full. */
function readHeader(reader: WireReader, header: FieldHeader): boolean {
  if (!hasVarint(reader)) return false;
  const tag = reader.varint();
  const wireType = tag & 7;
  header.field = Math.floor(tag / 8);
  header.wireType = wireType;
  if (wireType === FIXED64) header.length = 8;
  else if (wireType === FIXED32) header.length = 4;
  else {
    if (!hasVarint(reader)) return false;
    if (wireType !== DELIMITED && wireType !== VARINT) throw new WireError(`wire type ${wireType}`);
    const value = reader.varint();
    header.length = wireType === VARINT ? 0 : value;
  }
  header.bodyAt = reader.at;
  return true;
}

/** Has the number where the reader stands arrived in full? */
function hasVarint({ bytes, at, end }: WireReader): boolean {
  for (let next = at; next < end; next++) {
    if ((bytes[next] as number) < 0x80) return true;
    if (next - at >= 9) throw new WireError('a number of more than ten bytes');
  }
  return false;
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
