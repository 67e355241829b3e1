import type { OwnerReference } from '../object-record.ts';
import { ByteList, isPlain, plainText } from './byte-list.ts';
import { ByteMemo } from './byte-memo.ts';
import { blockRows } from './columns.ts';
import {
  fieldSeparator,
  referenceSeparator,
  setSeparator,
  type TextSets,
  valueSeparator,
} from './text-sets.ts';

const BLANK = setSeparator.charCodeAt(0);
const BAR = valueSeparator.charCodeAt(0);
const SLASH = fieldSeparator.charCodeAt(0);

/** Which set each row has, while a block is made. Sets come as values, or byte by byte. */
export class TextSetsBuilder {
  /** For each row the number of its set, from 1; 0 where it has none. */
  readonly at = new Uint16Array(blockRows);
  readonly #shapes: unknown[] = [];
  readonly #shapeNumbers = new Map<string, number>();
  readonly #texts = new ByteList(1024);
  #sets = 0;
  readonly #setNumbers = new Map<string, number>();
  #writer: SetWriter | undefined;

  /** The number of the set; 0 when the texts cannot be written so. */
  ofMap(map: Readonly<Record<string, string>>): number {
    const keys = Object.keys(map);
    let text = '';
    for (const key of keys) {
      const value = map[key] as string;
      if (!isPlain(key) || !isPlain(value)) return 0;
      text += valueSeparator + value;
    }
    return this.#number(this.mapShape(keys) + text);
  }

  /** The number of the set; 0 when the texts cannot be written so. */
  ofReferences(references: readonly OwnerReference[]): number {
    let text = '';
    for (const reference of references) {
      const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
      if (!isPlain(name) || !isPlain(uid) || name.includes(fieldSeparator)) return 0;
      const shape = this.referenceShape(apiVersion, kind, controller, blockOwnerDeletion);
      if (text !== '') text += referenceSeparator;
      text += shape + fieldSeparator + name + fieldSeparator + uid;
    }
    return this.#number(text);
  }

  /** Takes sets byte by byte. */
  get writer(): SetWriter {
    this.#writer ??= new SetWriter(this);
    return this.#writer;
  }

  mapShape(keys: readonly string[]): number {
    return this.#shape([keys.length, ...keys].join(setSeparator), keys);
  }

  referenceShape(
    apiVersion: string,
    kind: string,
    controller: boolean | undefined,
    blockOwnerDeletion: boolean | undefined,
  ): number {
    const key = `${controller} ${blockOwnerDeletion} ${kind.length} ${kind} ${apiVersion}`;
    return this.#shape(key, { apiVersion, kind, controller, blockOwnerDeletion });
  }

  #shape(key: string, shape: unknown): number {
    let number = this.#shapeNumbers.get(key);
    if (number === undefined) {
      number = this.#shapes.push(shape) - 1;
      this.#shapeNumbers.set(key, number);
    }
    return number;
  }

  #number(text: string): number {
    let number = this.#setNumbers.get(text);
    if (number === undefined) {
      number = this.start();
      this.#texts.addText(text);
      this.#setNumbers.set(text, number);
    }
    return number;
  }

  /** The number of a further set, whose text is added next. */
  start(): number {
    if (this.#sets > 0) this.#texts.push(BLANK);
    return ++this.#sets;
  }

  addBytes({ view, length }: ByteList): void {
    this.#texts.addFrom(view, 0, length);
  }

  /** Undefined when no row has a set. */
  finish(rows: number): (TextSets & { readonly at: Uint16Array }) | undefined {
    if (this.#sets === 0) return undefined;
    return { shapes: this.#shapes, sets: this.#texts.text(), at: this.at.slice(0, rows) };
  }
}

/**
 * Writes sets of bytes, without making texts of them; none in which a text is not plain (ByteList). Two sets may be equal where the bytes that spell them are not.
 */
export class SetWriter {
  readonly #builder: TextSetsBuilder;
  readonly #known = new ByteMemo();
  readonly #shapes = new ByteMemo();
  readonly #keys = new ByteList(256);
  readonly #text = new ByteList(256);
  readonly #set = new ByteList(256);
  #entries = 0;
  #isPlain = true;

  constructor(builder: TextSetsBuilder) {
    this.#builder = builder;
  }

  /** The set that these bytes spelt the last time; 0: none. */
  find(view: DataView, start: number, end: number): number {
    this.#entries = 0;
    this.#isPlain = true;
    this.#keys.length = 0;
    this.#text.length = 0;
    return this.#known.find(view, start, end);
  }

  addEntry(bytes: Uint8Array, key: number, keyEnd: number, value: number, valueEnd: number): void {
    this.#entries++;
    this.#isPlain &&= this.#keys.addPlain(bytes, key, keyEnd);
    this.#keys.push(BLANK);
    this.#text.push(BAR);
    this.#isPlain &&= this.#text.addPlain(bytes, value, valueEnd);
  }

  /** The number of the map whose entries were added; below 0 when it cannot be written so. */
  endMap(view: DataView, start: number, end: number): number {
    if (!this.#isPlain) return -1;
    const keys = this.#keys;
    let shape = this.#shapes.find(keys.view, 0, keys.length);
    if (shape === 0) {
      const texts = plainText(keys.bytes, 0, keys.length).split(setSeparator);
      shape = this.#builder.mapShape(texts.slice(0, this.#entries)) + 1;
      this.#shapes.add(keys.view, 0, keys.length, shape);
    }
    const set = this.#set;
    set.length = 0;
    set.addText(String(shape - 1));
    set.addFrom(this.#text.view, 0, this.#text.length);
    return this.#end(view, start, end);
  }

  addReference(bytes: Uint8Array, places: ReferenceBytes): void {
    const { name, nameEnd, uid, uidEnd } = places;
    const text = this.#text;
    if (this.#entries++ > 0) text.push(BAR);
    text.addText(String(this.#referenceShape(bytes, places)));
    text.push(SLASH);
    const nameAt = text.length;
    this.#isPlain &&= text.addPlain(bytes, name, nameEnd);
    const slash = text.bytes.indexOf(SLASH, nameAt);
    if (slash >= 0 && slash < text.length) this.#isPlain = false;
    text.push(SLASH);
    this.#isPlain &&= text.addPlain(bytes, uid, uidEnd);
  }

  #referenceShape(bytes: Uint8Array, places: ReferenceBytes): number {
    const { apiVersion, apiVersionEnd, kind, kindEnd, controller, blockOwnerDeletion } = places;
    const keys = this.#keys;
    keys.length = 0;
    keys.push(flagByte(controller));
    keys.push(flagByte(blockOwnerDeletion));
    this.#isPlain &&= keys.addPlain(bytes, kind, kindEnd);
    keys.push(BLANK);
    this.#isPlain &&= keys.addPlain(bytes, apiVersion, apiVersionEnd);
    if (!this.#isPlain) return 0;
    const known = this.#shapes.find(keys.view, 0, keys.length);
    if (known > 0) return known - 1;
    const shape = this.#builder.referenceShape(
      plainText(bytes, apiVersion, apiVersionEnd),
      plainText(bytes, kind, kindEnd),
      controller,
      blockOwnerDeletion,
    );
    this.#shapes.add(keys.view, 0, keys.length, shape + 1);
    return shape;
  }

  /** The number of the references that were added; below 0 when they cannot be written so. */
  endReferences(view: DataView, start: number, end: number): number {
    if (!this.#isPlain) return -1;
    this.#set.length = 0;
    this.#set.addFrom(this.#text.view, 0, this.#text.length);
    return this.#end(view, start, end);
  }

  #end(view: DataView, start: number, end: number): number {
    const number = this.#builder.start();
    this.#builder.addBytes(this.#set);
    this.#known.add(view, start, end, number);
    return number;
  }
}

/** Where the fields of a reference lie. */
export class ReferenceBytes {
  apiVersion = 0;
  apiVersionEnd = 0;
  kind = 0;
  kindEnd = 0;
  name = 0;
  nameEnd = 0;
  uid = 0;
  uidEnd = 0;
  controller: boolean | undefined;
  blockOwnerDeletion: boolean | undefined;

  /** Begins another reference, whose fields are all unset. */
  begin(): void {
    this.apiVersion = this.apiVersionEnd = 0;
    this.kind = this.kindEnd = 0;
    this.name = this.nameEnd = 0;
    this.uid = this.uidEnd = 0;
    this.controller = undefined;
    this.blockOwnerDeletion = undefined;
  }
}

function flagByte(flag: boolean | undefined): number {
  return flag === undefined ? 0x30 : flag ? 0x31 : 0x32;
}
