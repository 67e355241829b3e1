import { factFieldsOf } from '../../kube/facts/object-facts.ts';
import { isKeptKey } from '../../kube/records/kept-keys.ts';
import type { FieldReader, ObjectBytes } from '../../kube/records/object-bytes.ts';
import { ReferenceBytes, type SetWriter } from '../../kube/records/text-sets-builder.ts';
import { DELIMITED, WireReader } from './wire-reader.ts';

const METADATA = (1 << 3) + DELIMITED;
/** The last second of the year 9999. */
const lastSecond = 253_402_300_799;

/**
 * Finds the fields of an item where they lie. False of one that is rare or odd: then decodeItem makes a record of
 * it, or says what is wrong.
 */
export function scanItem(reader: WireReader, object: ObjectBytes): boolean {
  const { end } = reader;
  object.begin(reader.bytes);
  let hasMetadata = false;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === METADATA) {
      if (hasMetadata) return false;
      hasMetadata = true;
      reader.end = reader.delimited();
      if (!scanMetadata(reader, object)) return false;
      reader.end = end;
    } else {
      if (factFieldsOf(object.type)) return false;
      reader.skip(tag & 7);
    }
  }
  return hasMetadata && object.nameEnd > object.nameAt;
}

function scanMetadata(reader: WireReader, object: ObjectBytes): boolean {
  while (reader.at < reader.end) {
    const fieldAt = reader.at;
    const tag = reader.varint();
    const field = tag >>> 3;
    if ((tag & 7) !== DELIMITED) {
      // How long a deletion takes.
      if (field === 10) return false;
      reader.skip(tag & 7);
      continue;
    }
    const end = reader.delimited();
    const start = reader.at;
    switch (field) {
      case 1:
        if (!object.setName(start, end)) return false;
        break;
      case 3:
        if (!object.setNamespace(start, end)) return false;
        break;
      case 5:
        if (start < end && !object.setUid(start, end)) return false;
        break;
      case 6:
        if (start < end && !object.setResourceVersion(start, end)) return false;
        break;
      case 8:
        if (start < end && !scanTime(reader, end, object)) return false;
        break;
      case 9:
        return false;
      case 11:
        if (!object.labels.extend(fieldAt, end)) return false;
        break;
      case 12:
        if (hasKeptKey(reader)) object.annotations.add(reader.bytes, fieldAt, end);
        break;
      case 13:
        if (!object.references.extend(fieldAt, end)) return false;
        break;
      case 14:
        if (!object.finalizers.extend(fieldAt, end)) return false;
        break;
    }
    reader.at = end;
  }
  return true;
}

function scanTime(reader: WireReader, end: number, object: ObjectBytes): boolean {
  let seconds = 0;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === 8) seconds = reader.int64();
    else reader.skip(tag & 7);
  }
  object.creationTimestamp = seconds;
  return seconds >= 0 && seconds <= lastSecond;
}

/** Of an entry of a map, whose key stands in front: is it an annotation that records keep? */
function hasKeptKey(reader: WireReader): boolean {
  reader.varint();
  const end = reader.delimited();
  return isKeptKey(reader.bytes, reader.at, end);
}

/** Reads the fields that scanItem finds. */
export class WireFieldReader implements FieldReader {
  readonly #reference = new ReferenceBytes();

  readMap(bytes: Uint8Array, start: number, end: number, writer: SetWriter): boolean {
    const reader = new WireReader(bufferOf(bytes), start, end);
    while (reader.at < end) {
      reader.varint();
      const entryEnd = reader.delimited();
      let key = 0;
      let keyEnd = 0;
      let value = 0;
      let valueEnd = 0;
      while (reader.at < entryEnd) {
        const tag = reader.varint();
        if ((tag & 7) !== DELIMITED) {
          reader.skip(tag & 7);
          continue;
        }
        const fieldEnd = reader.delimited();
        // Pairs to be taken apart would be made for each label.
        if (tag >>> 3 === 1) {
          key = reader.at;
          keyEnd = fieldEnd;
        } else if (tag >>> 3 === 2) {
          value = reader.at;
          valueEnd = fieldEnd;
        }
        reader.at = fieldEnd;
      }
      writer.addEntry(bytes, key, keyEnd, value, valueEnd);
    }
    return true;
  }

  readReferences(bytes: Uint8Array, start: number, end: number, writer: SetWriter): boolean {
    const reader = new WireReader(bufferOf(bytes), start, end);
    while (reader.at < end) {
      reader.varint();
      this.#readReference(reader, reader.delimited());
      writer.addReference(bytes, this.#reference);
    }
    return true;
  }

  #readReference(reader: WireReader, end: number): void {
    const reference = this.#reference;
    reference.begin();
    while (reader.at < end) {
      const tag = reader.varint();
      const field = tag >>> 3;
      if ((tag & 7) !== DELIMITED) {
        if (field === 6) reference.controller = reader.varint() !== 0;
        else if (field === 7) reference.blockOwnerDeletion = reader.varint() !== 0;
        else reader.skip(tag & 7);
        continue;
      }
      const valueEnd = reader.delimited();
      const { at } = reader;
      if (field === 5) {
        reference.apiVersion = at;
        reference.apiVersionEnd = valueEnd;
      } else if (field === 1) {
        reference.kind = at;
        reference.kindEnd = valueEnd;
      } else if (field === 3) {
        reference.name = at;
        reference.nameEnd = valueEnd;
      } else if (field === 4) {
        reference.uid = at;
        reference.uidEnd = valueEnd;
      }
      reader.at = valueEnd;
    }
  }

  finalizers(bytes: Uint8Array, start: number, end: number): readonly string[] {
    const finalizers: string[] = [];
    const reader = new WireReader(bufferOf(bytes), start, end);
    while (reader.at < end) {
      reader.varint();
      const valueEnd = reader.delimited();
      finalizers.push(reader.bytes.toString('utf8', reader.at, valueEnd));
      reader.at = valueEnd;
    }
    return finalizers;
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
