import { jsonOfFacts } from '../facts/object-facts.ts';
import type { ObjectRecord } from '../object-record.ts';
import type { ResourceType } from '../resource-type.ts';
import { FactsColumn, Places, Values } from './block-columns.ts';
import { ByteList, plainText } from './byte-list.ts';
import { ByteMemo } from './byte-memo.ts';
import { FactsBuilder, Numbers, ValuesBuilder } from './column-builders.ts';
import { blockRows, NumberColumn, TextColumn, toDifferences, toRuns } from './columns.ts';
import { type ByteRange, factsAt, type ObjectBytes } from './object-bytes.ts';
import { RecordBlock } from './record-block.ts';
import type { RareFields, RecordColumns, ValueColumn } from './record-columns.ts';
import { StoredRecord } from './stored-record.ts';
import { MapColumn, ReferencesColumn, type TextSets } from './text-sets.ts';
import { type SetWriter, TextSetsBuilder } from './text-sets-builder.ts';
import { secondsOf } from './timestamps.ts';
import { packUid, uidLength, uidWords, unpackUid } from './uids.ts';

/** No name has it. */
const nameSeparator = '/';
const SEPARATOR = nameSeparator.charCodeAt(0);
const noUid = '0'.repeat(uidLength);
/** So that a block can be read in one piece. */
const mostFactBytes = 8 * 1024 * 1024;

/** A block as it is written: its columns, and the JSON of each of its facts. */
export interface WrittenBlock {
  readonly columns: RecordColumns;
  /** Joined by `factSeparator`. */
  readonly facts: string;
}

/** Takes objects, one after the other, and makes a block of them. */
export class BlockBuilder {
  rows = 0;
  readonly #typeNumber: (type: ResourceType) => number;
  readonly #types = new Uint16Array(blockRows);
  readonly #namespaces = new Numbers();
  readonly #namespaceAt = new Uint16Array(blockRows);
  /** Each with its separator. */
  readonly #names = new ByteList(1024);
  readonly #uids = new Uint32Array(blockRows * uidWords);
  #hasUids = false;
  readonly #versions = new Float64Array(blockRows);
  readonly #created = new Float64Array(blockRows);
  readonly #labels = new TextSetsBuilder();
  readonly #annotations = new TextSetsBuilder();
  readonly #references = new TextSetsBuilder();
  readonly #finalizers = new ValuesBuilder();
  readonly #writers = new ValuesBuilder();
  readonly #facts = new FactsBuilder();
  readonly #paths = new Numbers();
  readonly #pathAt = new Uint16Array(blockRows);
  readonly #lines = new Float64Array(blockRows);
  readonly #more = new Map<number, RareFields>();
  readonly #knownNamespaces = new ByteMemo();

  /** `typeNumber`: the number that stands for a type. */
  constructor(typeNumber: (type: ResourceType) => number) {
    this.#typeNumber = typeNumber;
  }

  get isFull(): boolean {
    return this.rows >= blockRows || this.#facts.bytes >= mostFactBytes;
  }

  add(record: ObjectRecord): void {
    const row = this.rows++;
    const more: RareFields = {};
    const { name, uid, resourceVersion, creationTimestamp, deletionTimestamp } = record;
    this.#namespaceAt[row] = this.#namespaces.of(record.namespace);
    const isOddName = name.includes('/') || !name.isWellFormed();
    if (!isOddName) this.#names.addText(name);
    this.#names.push(SEPARATOR);
    if (isOddName) more.name = name;
    const isUuid = uid.length === uidLength && packUid(uid, 0, this.#uids, row * uidWords);
    if (!isUuid) more.uid = uid;
    this.#hasUids ||= uid !== '';
    const version = resourceVersion === undefined ? Number.NaN : wholeNumber(resourceVersion);
    this.#versions[row] = version;
    if (Number.isNaN(version) && resourceVersion !== undefined) {
      more.resourceVersion = resourceVersion;
    }
    const created = creationTimestamp === undefined ? undefined : secondsOf(creationTimestamp);
    this.#created[row] = created ?? Number.NaN;
    if (created === undefined && creationTimestamp !== undefined) {
      more.creationTimestamp = creationTimestamp;
    }
    if (deletionTimestamp !== undefined) more.deletionTimestamp = deletionTimestamp;
    const { deletionGracePeriodSeconds } = record;
    if (deletionGracePeriodSeconds !== undefined) {
      more.deletionGracePeriodSeconds = deletionGracePeriodSeconds;
    }
    this.#addSets(row, record, more);
    for (const _ in more) {
      this.#more.set(row, more);
      break;
    }
    this.#addOthers(row, record);
    const facts = factsText(record);
    if (facts !== undefined) this.#facts.add(row, this.#types[row] as number, facts);
  }

  #addSets(row: number, record: ObjectRecord, more: RareFields): void {
    const { labels, annotations, ownerReferences, finalizers } = record;
    this.#finalizers.add(row, finalizers.length === 0 ? undefined : JSON.stringify(finalizers));
    if (labels) {
      this.#labels.at[row] = this.#labels.ofMap(labels);
      if (this.#labels.at[row] === 0) more.labels = labels;
    }
    if (annotations) {
      this.#annotations.at[row] = this.#annotations.ofMap(annotations);
      if (this.#annotations.at[row] === 0) more.annotations = annotations;
    }
    if (ownerReferences.length > 0) {
      this.#references.at[row] = this.#references.ofReferences(ownerReferences);
      if (this.#references.at[row] === 0) more.ownerReferences = ownerReferences;
    }
  }

  /** What records and bytes have alike. */
  #addOthers(
    row: number,
    { type, writers, place }: Pick<ObjectRecord, 'type' | 'writers' | 'place'>,
  ): void {
    this.#types[row] = this.#typeNumber(type);
    if (writers) this.#writers.add(row, JSON.stringify(writers));
    this.#lines[row] = place?.line ?? Number.NaN;
    if (place) this.#pathAt[row] = this.#paths.of(place.path) + 1;
  }

  /**
   * The same of an object that lies in bytes; values are made of few of them. False of one that no columns can
   * hold: then it has to come as a record.
   */
  addBytes(object: ObjectBytes): boolean {
    const { bytes } = object;
    const labels = mapIn(this.#labels.writer, object, object.labels);
    const annotations = annotationsIn(this.#annotations.writer, object);
    const references = referencesIn(this.#references.writer, object);
    if (labels < 0 || annotations < 0 || references < 0) return false;
    const row = this.rows++;
    this.#addOthers(row, object);
    this.#labels.at[row] = labels;
    this.#annotations.at[row] = annotations;
    this.#references.at[row] = references;
    this.#namespaceAt[row] = this.#namespaceIn(object);
    this.#names.add(bytes, object.nameAt, object.nameEnd);
    this.#names.push(SEPARATOR);
    if (object.hasUid) this.#uids.set(object.uid, row * uidWords);
    else this.#more.set(row, { uid: '' });
    this.#hasUids ||= object.hasUid;
    this.#versions[row] = object.resourceVersion;
    this.#created[row] = object.creationTimestamp;
    const { at, end } = object.finalizers;
    if (end > at) {
      const finalizers = object.reader.finalizers(bytes, at, end);
      if (finalizers.length > 0) this.#finalizers.add(row, JSON.stringify(finalizers));
    }
    if (object.facts.length > factsAt) {
      this.#facts.addBytes(row, this.#types[row] as number, object.facts);
    }
    return true;
  }

  #namespaceIn({ type, bytes, view, namespaceAt: start, namespaceEnd }: ObjectBytes): number {
    const end = type.namespaced ? namespaceEnd : start;
    let number = this.#knownNamespaces.find(view, start, end);
    if (number === 0) {
      number = this.#namespaces.of(plainText(bytes, start, end)) + 1;
      this.#knownNamespaces.add(view, start, end, number);
    }
    return number - 1;
  }

  /** The columns as a saved snapshot spells them. */
  written(): WrittenBlock {
    const { rows } = this;
    const { count, at } = this.#facts;
    return {
      columns: {
        rows,
        type: toRuns(this.#types.subarray(0, rows), (number) => number),
        namespace: toRuns(
          this.#namespaceAt.subarray(0, rows),
          (number) => this.#namespaces.texts[number] as string,
        ),
        name: this.#nameTexts(),
        uid: this.#hasUids ? this.#uidTexts() : undefined,
        resourceVersion: differences(this.#versions, rows),
        creationTimestamp: differences(this.#created, rows),
        labels: inJson(this.#labels.finish(rows)),
        annotations: inJson(this.#annotations.finish(rows)),
        ownerReferences: inJson(this.#references.finish(rows)),
        finalizers: inJson(this.#finalizers.finish(rows)),
        writers: inJson(this.#writers.finish(rows)),
        place:
          this.#paths.texts.length > 0
            ? {
                paths: this.#paths.texts,
                path: toRuns(this.#pathAt.subarray(0, rows), (number) => number),
                line: toDifferences(this.#lines.subarray(0, rows)),
              }
            : undefined,
        more: this.#moreOf(),
        facts: count > 0 ? Array.from(at.subarray(0, rows)) : undefined,
      },
      facts: this.#facts.text(),
    };
  }

  /** The columns in memory. `types`: by their numbers. */
  protected blockOf(types: readonly ResourceType[]): RecordBlock {
    const { rows } = this;
    const [labels, annotations, references, finalizers, writers] = [
      this.#labels.finish(rows),
      this.#annotations.finish(rows),
      this.#references.finish(rows),
      this.#finalizers.finish(rows),
      this.#writers.finish(rows),
    ];
    const { at, areAsRead } = this.#facts;
    const more = this.#moreOf();
    const paths = this.#paths.texts;
    return new RecordBlock({
      rows,
      types,
      typeAt: this.#types.slice(0, rows),
      namespaces: this.#namespaces.texts,
      namespaceAt: this.#namespaceAt.slice(0, rows),
      names: new TextColumn(this.#nameTexts(), nameSeparator, rows),
      uids: this.#hasUids ? this.#uids.slice(0, rows * uidWords) : undefined,
      versions: numbers(this.#versions, rows),
      created: numbers(this.#created, rows),
      labels: labels && new MapColumn(labels, rows),
      annotations: annotations && new MapColumn(annotations, rows),
      references: references && new ReferencesColumn(references, rows),
      finalizers: finalizers && new Values(finalizers, rows),
      writers: writers && new Values(writers, rows),
      places:
        paths.length > 0
          ? new Places(undefined, paths, this.#pathAt.slice(0, rows), numbers(this.#lines, rows))
          : new Places(undefined),
      more: more && new Map(more),
      facts:
        this.#facts.count > 0
          ? new FactsColumn(at.slice(0, rows), this.#facts.text(), rows, areAsRead)
          : undefined,
    });
  }

  #nameTexts(): string {
    return this.#names.text().slice(0, -nameSeparator.length);
  }

  #uidTexts(): string {
    const texts: string[] = [];
    for (let row = 0; row < this.rows; row++) {
      const isUuid = this.#more.get(row)?.uid === undefined;
      texts.push(isUuid ? unpackUid(this.#uids, row * uidWords) : noUid);
    }
    return texts.join('');
  }

  /** Without the empty uids, where no object has one. */
  #moreOf(): [number, RareFields][] | undefined {
    const rows = [...this.#more];
    const more = this.#hasUids
      ? rows
      : rows.filter(([, rare]) => {
          delete rare.uid;
          return Object.keys(rare).length > 0;
        });
    return more.length > 0 ? more : undefined;
  }
}

// The number of a set: 0 of none, below 0 of one that cannot be written so.

function mapIn(
  writer: SetWriter,
  { bytes, view, reader }: ObjectBytes,
  { at: start, end }: ByteRange,
): number {
  if (start === end) return 0;
  const known = writer.find(view, start, end);
  if (known > 0) return known;
  return reader.readMap(bytes, start, end, writer) ? writer.endMap(view, start, end) : -1;
}

function annotationsIn(writer: SetWriter, { annotations, reader }: ObjectBytes): number {
  const { bytes, view, length } = annotations;
  if (length === 0) return 0;
  const known = writer.find(view, 0, length);
  if (known > 0) return known;
  return reader.readMap(bytes, 0, length, writer) ? writer.endMap(view, 0, length) : -1;
}

function referencesIn(writer: SetWriter, object: ObjectBytes): number {
  const { bytes, view, reader } = object;
  const { at: start, end } = object.references;
  if (start === end) return 0;
  const known = writer.find(view, start, end);
  if (known > 0) return known;
  const isRead = reader.readReferences(bytes, start, end, writer);
  return isRead ? writer.endReferences(view, start, end) : -1;
}

/** Makes a block that stays in memory. */
export class MemoryBlockBuilder extends BlockBuilder {
  readonly #blockTypes: ResourceType[];

  constructor() {
    const types: ResourceType[] = [];
    const numbers = new Map<ResourceType, number>();
    super((type) => {
      let number = numbers.get(type);
      if (number === undefined) {
        number = types.push(type) - 1;
        numbers.set(type, number);
      }
      return number;
    });
    this.#blockTypes = types;
  }

  block(): RecordBlock {
    return this.blockOf(this.#blockTypes);
  }
}

export function storedRecords(block: RecordBlock): StoredRecord[] {
  const records: StoredRecord[] = [];
  for (let row = 0; row < block.rows; row++) records.push(new StoredRecord(block, row));
  return records;
}

function factsText(record: ObjectRecord): string | undefined {
  if (record instanceof StoredRecord) return record.factsText;
  const { facts, type } = record;
  return facts && jsonOfFacts(facts, type);
}

/** Of a number that is written as JavaScript writes it; else NaN. */
function wholeNumber(text: string): number {
  return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : Number.NaN;
}

function isUnset(values: Float64Array): boolean {
  return values.every(Number.isNaN);
}

function differences(values: Float64Array, rows: number): (number | null)[] | undefined {
  const used = values.subarray(0, rows);
  return isUnset(used) ? undefined : toDifferences(used);
}

function numbers(values: Float64Array, rows: number): NumberColumn | undefined {
  const used = values.subarray(0, rows);
  return isUnset(used) ? undefined : new NumberColumn(used);
}

/** JSON would make an object of a typed array. */
function inJson<Column extends TextSets | ValueColumn>(
  column: Column | undefined,
): Column | undefined {
  return column && { ...column, at: Array.from(column.at) };
}
