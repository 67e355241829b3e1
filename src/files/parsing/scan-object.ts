import { CLOSE_BRACE, COMMA, LETTER_N, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../../kube/ascii.ts';
import type { ByteList } from '../../kube/records/byte-list.ts';
import { LastBytes } from '../../kube/records/byte-memo.ts';
import { isKeptKey } from '../../kube/records/kept-keys.ts';
import {
  ByteRange,
  type FieldReader,
  factsAt,
  type ObjectBytes,
} from '../../kube/records/object-bytes.ts';
import { ReferenceBytes, type SetWriter } from '../../kube/records/text-sets-builder.ts';
import { secondsIn } from '../../kube/records/timestamps.ts';
import { uidLength } from '../../kube/records/uids.ts';
import { FieldOrder, JsonScanner, KeyTable, namedKey } from './json-scanner.ts';
import { addKey, copyValue, type KeptField, type KeptPart, keepPart } from './kept-parts.ts';

const LETTER_F = 0x66;
const LETTER_T = 0x74;

/** So many fields has no object; more are left to JSON.parse. */
const mostFields = 16;
const timeLength = 20;

/** What is kept of the objects of one kind besides their metadata. */
export interface KeptOfKind {
  /** What facts are read from. */
  readonly part: KeptPart;
  /** Do controllers decide by its generation? */
  readonly keepsGeneration: boolean;
}

/**
 * Finds the fields of a Kubernetes object in JSON where they lie. What is rare or odd is refused, so that JSON.parse
 * reads it or says what is wrong: fields that are there twice, backslashes, objects that are being deleted.
 */
export class ObjectScanner<Kind extends KeptOfKind> {
  readonly json = new JsonScanner();
  readonly apiVersion = new ByteRange();
  readonly kind = new ByteRange();
  readonly managedFields = new ByteRange();
  readonly #generation = new ByteRange();
  readonly #reader: JsonFieldReader;
  readonly #keptOf: () => Kind | undefined;
  #kept: Kind | undefined;
  readonly #order = new FieldOrder(knownFields);
  // What the object before it had, where most have the same.
  readonly #lastHead = new LastBytes();
  #headKept: Kind | undefined;
  readonly #lastLabels = new LastBytes();
  readonly #lastReferences = new LastBytes();
  readonly #lastAnnotations = new LastBytes();
  #keptAnnotations = 0;
  /** Fields besides apiVersion, kind and metadata. */
  #fields = 0;
  readonly #keys: ByteRange[] = Array.from({ length: mostFields }, () => new ByteRange());
  readonly #values: ByteRange[] = Array.from({ length: mostFields }, () => new ByteRange());
  /** A bit for each known field of the metadata that was met; the same of those that facts are read from. */
  #seen = 0;
  #seenFacts = 0;

  /**
   * `reader` reads what the scanner found. `keptOf` is asked as soon as the apiVersion and kind of an object were met, but where they
   * are spelled as in the object before; undefined: it is refused.
   */
  constructor(reader: JsonFieldReader, keptOf: () => Kind | undefined) {
    this.#reader = reader;
    this.#keptOf = keptOf;
  }

  /** What `keptOf` said of the object. */
  get kept(): Kind | undefined {
    return this.#kept;
  }

  /**
   * Fills the object with its metadata and what its facts are read from. Returns where it ends; below 0 when it is
   * refused. It is always the same object that is filled. Behind the bytes, or at the end of the line, there must be something that is part of no object.
   */
  scan(bytes: Buffer, start: number, object: ObjectBytes): number {
    const { json } = this;
    json.bytes = bytes;
    object.begin(bytes);
    this.apiVersion.clear();
    this.kind.clear();
    this.managedFields.clear();
    this.#generation.clear();
    this.#kept = undefined;
    this.#fields = 0;
    this.#seenFacts = 0;
    if (bytes[start] !== OPEN_BRACE) return -1;
    let metadataEnd = 0;
    let at = start + 1;
    let isFirst = true;
    if (this.#lastHead.areAt(object.view, start)) {
      this.#kept = this.#headKept;
      // They were met; where does not matter any more.
      this.apiVersion.at = this.kind.at = start + 1;
      metadataEnd = this.#metadata(start + this.#lastHead.length, object);
      if (metadataEnd < 0) return -1;
      at = metadataEnd;
      isFirst = false;
    }
    for (; ; isFirst = false) {
      const value = json.nextField(at, isFirst);
      if (value === -1) break;
      if (value < 0) return -1;
      if (json.isKey(keys.metadata)) {
        if (metadataEnd > 0) return -1;
        if (this.#kept && this.#fields === 0 && this.#seenFacts === 0) {
          this.#lastHead.set(object.view, start, value);
          this.#headKept = this.#kept;
        }
        at = this.#metadata(value, object);
        metadataEnd = at;
      } else if (json.isKey(keys.apiVersion)) at = this.#text(this.apiVersion, value);
      else if (json.isKey(keys.kind)) at = this.#text(this.kind, value);
      else at = this.#field(value, object);
      if (at < 0) return -1;
    }
    const { end } = json;
    const isWhole = metadataEnd > 0 && this.#kept !== undefined && this.#keepRest(object);
    return isWhole ? end : -1;
  }

  /** The value of a field besides metadata; undefined when there is none, 'twice' when there are two. */
  field(name: Buffer): ByteRange | 'twice' | undefined {
    let found: ByteRange | undefined;
    for (let index = 0; index < this.#fields; index++) {
      const key = this.#keys[index] as ByteRange;
      if (name.compare(this.json.bytes, key.at, key.end) !== 0) continue;
      if (found) return 'twice';
      found = this.#values[index];
    }
    return found;
  }

  #field(value: number, object: ObjectBytes): number {
    const { json } = this;
    const kept = this.#kept?.part.fields.find(json);
    if (kept) return this.#keepField(kept, value, object);
    const key = this.#keys[this.#fields];
    const range = this.#values[this.#fields];
    if (!key || !range || json.isKey(keys.items) || json.isKey(keys.objects)) return -1;
    this.#fields++;
    key.at = json.keyAt;
    key.end = json.keyEnd;
    range.at = value;
    range.end = json.value(value);
    return range.end;
  }

  #keepField({ bit, key, part }: KeptField, value: number, { facts }: ObjectBytes): number {
    if ((this.#seenFacts & bit) !== 0) return -1;
    this.#seenFacts |= bit;
    // A spec that is none is left to JSON.parse.
    const first = this.json.bytes[value];
    if (part.isObject && first !== OPEN_BRACE && first !== LETTER_N) return -1;
    facts.push(facts.length === factsAt ? OPEN_BRACE : COMMA);
    addKey(key, facts);
    return keepPart(this.json, value, part, facts);
  }

  /** Fields that stand in front of the kind, and the end; false when the object is refused. */
  #keepRest(object: ObjectBytes): boolean {
    const { json } = this;
    const { part, keepsGeneration } = this.#kept as KeptOfKind;
    for (let index = 0; index < this.#fields; index++) {
      const { at, end } = this.#keys[index] as ByteRange;
      json.keyAt = at;
      json.keyEnd = end;
      const kept = part.fields.find(json);
      if (kept && this.#keepField(kept, (this.#values[index] as ByteRange).at, object) < 0) {
        return false;
      }
    }
    const { facts } = object;
    if (this.#seenFacts === 0) return true;
    const { at, end } = this.#generation;
    if (keepsGeneration && end > 0) {
      facts.add(generationHead, 0, generationHead.length);
      copyValue(json.bytes, at, end, facts);
      facts.push(CLOSE_BRACE);
    }
    facts.push(CLOSE_BRACE);
    return true;
  }

  /** Takes a string without its quotes; behind it. */
  #text(range: ByteRange, value: number): number {
    if (range.at > 0) return -1;
    const end = this.json.plainString(value);
    range.at = value + 1;
    range.end = end - 1;
    if (end > 0 && this.apiVersion.at > 0 && this.kind.at > 0) {
      this.#kept = this.#keptOf();
      if (!this.#kept) return -1;
    }
    return end;
  }

  #metadata(from: number, object: ObjectBytes): number {
    const { json } = this;
    if (json.bytes[from] !== OPEN_BRACE) return -1;
    this.#seen = 0;
    let at = from + 1;
    for (let index = 0; ; index++) {
      const value = this.#order.next(json, at, index);
      if (value === -1) break;
      if (value < 0) return -1;
      at = this.#metadataField(value, object);
      if (at < 0) return -1;
    }
    return object.nameEnd > object.nameAt ? json.end : -1;
  }

  /** Behind the value; below 0 when it is refused. */
  #metadataField(value: number, object: ObjectBytes): number {
    const { json } = this;
    const known = this.#order.found;
    if (!known) return json.value(value);
    if ((this.#seen & known.bit) !== 0) return -1;
    this.#seen |= known.bit;
    switch (known.name) {
      case 'name':
      case 'namespace':
      case 'uid':
      case 'resourceVersion':
        return this.#textField(known.name, value, object);
      case 'creationTimestamp':
        return this.#time(value, object);
      case 'labels':
        return this.#labels(value, object);
      case 'annotations':
        return this.#annotations(value, object);
      case 'ownerReferences':
        return this.#references(value, object);
      case 'finalizers':
        return this.#finalizers(value, object);
      case 'managedFields':
        return json.bytes[value] === OPEN_BRACKET ? this.#range(this.managedFields, value) : -1;
      case 'generation':
        return this.#range(this.#generation, value);
      default:
        // It is being deleted.
        return -1;
    }
  }

  #range(range: ByteRange, value: number): number {
    range.at = value;
    range.end = this.json.value(value);
    return range.end;
  }

  #textField(
    name: 'name' | 'namespace' | 'uid' | 'resourceVersion',
    value: number,
    object: ObjectBytes,
  ): number {
    const { bytes } = this.json;
    const behindUid = value + uidLength + 2;
    // Nothing but digits and dashes is in it.
    const isUid = name === 'uid' && bytes[value] === QUOTE && bytes[behindUid - 1] === QUOTE;
    if (isUid && object.setUid(value + 1, behindUid - 1)) return behindUid;
    const end = this.json.plainString(value);
    if (end < 0) return -1;
    const isEmpty = end === value + 2;
    const isTaken =
      name === 'name'
        ? object.setName(value + 1, end - 1)
        : name === 'namespace'
          ? object.setNamespace(value + 1, end - 1)
          : name === 'uid'
            ? isEmpty || object.setUid(value + 1, end - 1)
            : object.setResourceVersion(value + 1, end - 1);
    return isTaken ? end : -1;
  }

  #time(value: number, object: ObjectBytes): number {
    const { bytes } = this.json;
    // A manifest that was never applied.
    if (bytes[value] === LETTER_N) return this.json.value(value);
    const last = value + timeLength + 1;
    if (bytes[value] !== QUOTE || bytes[last] !== QUOTE) return -1;
    const seconds = secondsIn(bytes, value + 1);
    if (seconds === undefined) return -1;
    object.creationTimestamp = seconds;
    return last + 1;
  }

  /** What is in it is read when it is met for the first time. */
  #labels(from: number, object: ObjectBytes): number {
    const last = this.#lastLabels;
    if (last.areAt(object.view, from)) return set(object.labels, from, from + last.length);
    if (this.json.bytes[from] !== OPEN_BRACE) return -1;
    const end = this.#range(object.labels, from);
    if (end > 0) last.set(object.view, from, end);
    return end;
  }

  #annotations(from: number, object: ObjectBytes): number {
    const { json } = this;
    const last = this.#lastAnnotations;
    if (last.areAt(object.view, from)) {
      // They still stand in it.
      object.annotations.length = this.#keptAnnotations;
      return from + last.length;
    }
    last.clear();
    if (json.bytes[from] !== OPEN_BRACE) return -1;
    let at = from + 1;
    for (let isFirst = true; ; isFirst = false) {
      const value = json.nextField(at, isFirst);
      if (value === -1) break;
      if (value < 0) return -1;
      const keptAt = isKeptKey(json.bytes, json.keyAt, json.keyEnd) ? json.keyAt - 1 : 0;
      at = json.value(value);
      if (at < 0) return -1;
      if (keptAt > 0) addKept(object.annotations, json.bytes, keptAt, at);
    }
    if (object.annotations.length > 0) object.annotations.push(CLOSE_BRACE);
    last.set(object.view, from, json.end);
    this.#keptAnnotations = object.annotations.length;
    return json.end;
  }

  #references(from: number, object: ObjectBytes): number {
    const last = this.#lastReferences;
    if (last.areAt(object.view, from)) return set(object.references, from, from + last.length);
    const end = this.#reader.scanReferences(object.bytes, from);
    if (end < 0) return -1;
    last.set(object.view, from, end);
    return set(object.references, from, end);
  }

  #finalizers(from: number, object: ObjectBytes): number {
    const { json } = this;
    if (json.bytes[from] !== OPEN_BRACKET) return -1;
    let at = from + 1;
    for (let isFirst = true; ; isFirst = false) {
      const value = json.nextElement(at, isFirst);
      if (value === -1) break;
      at = value < 0 ? -1 : json.plainString(value);
      if (at < 0) return -1;
    }
    object.finalizers.at = from;
    object.finalizers.end = json.end;
    return json.end;
  }
}

/** Those that are kept make an object of their own. */
function addKept(kept: ByteList, bytes: Uint8Array, start: number, end: number): void {
  kept.push(kept.length === 0 ? OPEN_BRACE : COMMA);
  kept.add(bytes, start, end);
}

/** Where the range ends. */
function set(range: ByteRange, at: number, end: number): number {
  range.at = at;
  range.end = end;
  return end;
}

/** Reads the fields that an ObjectScanner found. */
export class JsonFieldReader implements FieldReader {
  readonly #json = new JsonScanner();
  readonly #order = new FieldOrder(referenceFields);
  readonly #reference = new ReferenceBytes();
  /** Where the list begins of which `#reference` is the only one; -1: of none. */
  #scannedAt = -1;

  readMap(bytes: Uint8Array, start: number, _end: number, writer: SetWriter): boolean {
    const json = this.#json;
    json.bytes = bytes;
    let at = start + 1;
    for (let isFirst = true; ; isFirst = false) {
      const value = json.nextField(at, isFirst);
      if (value === -1) return !isFirst;
      at = value < 0 ? -1 : json.plainString(value);
      if (at < 0) return false;
      writer.addEntry(bytes, json.keyAt, json.keyEnd, value + 1, at - 1);
    }
  }

  /** Behind the references, of which there is one at least; below 0 when they are refused. */
  scanReferences(bytes: Uint8Array, from: number): number {
    const json = this.#json;
    json.bytes = bytes;
    this.#scannedAt = -1;
    if (bytes[from] !== OPEN_BRACKET) return -1;
    let at = from + 1;
    for (let count = 0; ; count++) {
      const value = json.nextElement(at, count === 0);
      if (value === -1) {
        if (count === 1) this.#scannedAt = from;
        return count === 0 ? -1 : json.end;
      }
      at = value < 0 ? -1 : this.#scanReference(value);
      if (at < 0) return -1;
    }
  }

  readReferences(bytes: Uint8Array, start: number, _end: number, writer: SetWriter): boolean {
    const json = this.#json;
    if (json.bytes === bytes && this.#scannedAt === start) {
      writer.addReference(bytes, this.#reference);
      return true;
    }
    json.bytes = bytes;
    this.#scannedAt = -1;
    let at = start + 1;
    for (let isFirst = true; ; isFirst = false) {
      const value = json.nextElement(at, isFirst);
      if (value === -1) return !isFirst;
      at = value < 0 ? -1 : this.#scanReference(value);
      if (at < 0) return false;
      writer.addReference(bytes, this.#reference);
    }
  }

  /** Finds the fields of one reference; behind it, below 0 when a field is not what it should be, or there twice. */
  #scanReference(from: number): number {
    const json = this.#json;
    const { bytes } = json;
    const found = this.#reference;
    if (bytes[from] !== OPEN_BRACE) return -1;
    found.begin();
    let at = from + 1;
    for (let index = 0; ; index++) {
      const value = this.#order.next(json, at, index);
      if (value === -1) return json.end;
      if (value < 0) return -1;
      const field = this.#order.found?.name;
      if (field === undefined) at = json.value(value);
      else if (field === 'controller' || field === 'blockOwnerDeletion') {
        const first = bytes[value];
        if (found[field] !== undefined || (first !== LETTER_T && first !== LETTER_F)) return -1;
        found[field] = first === LETTER_T;
        at = json.value(value);
      } else {
        at = json.plainString(value);
        if (found[field] > 0) return -1;
        found[field] = value + 1;
        found[`${field}End`] = at - 1;
      }
      if (at < 0) return -1;
    }
  }

  finalizers(bytes: Uint8Array, start: number, end: number): readonly string[] {
    return JSON.parse((bytes as Buffer).toString('utf8', start, end));
  }
}

const generationHead = Buffer.from(',"metadata":{"generation":');
const keys = {
  apiVersion: Buffer.from('apiVersion'),
  kind: Buffer.from('kind'),
  metadata: Buffer.from('metadata'),
  // Of lists and saved snapshots.
  items: Buffer.from('items'),
  objects: Buffer.from('objects'),
};

const knownFields = new KeyTable(
  [
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'creationTimestamp',
    'labels',
    'annotations',
    'ownerReferences',
    'finalizers',
    'managedFields',
    'generation',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ].map((name, index) => ({ name, ...namedKey(name), bit: 1 << index })),
);

const referenceFields = new KeyTable(
  (['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'] as const).map(
    (name) => ({ name, ...namedKey(name) }),
  ),
);
