import { jsonOfFacts } from '../facts/object-facts.ts';
import type { ObjectRecord } from '../object-record.ts';
import type { ResourceType } from '../resource-type.ts';
import { ByteList } from './byte-list.ts';
import { FactsBuilder, Numbers, ValuesBuilder } from './column-builders.ts';
import { blockRows, toDifferences, toRuns } from './columns.ts';
import type { RareFields, RecordColumns, ValueColumn } from './record-columns.ts';
import type { TextSets } from './text-sets.ts';
import { TextSetsBuilder } from './text-sets-builder.ts';
import { secondsOf } from './timestamps.ts';
import { packUid, uidLength, uidWords, unpackUid } from './uids.ts';

/** No name has it. */
const nameSeparator = '/';
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
    this.#names.addText(nameSeparator);
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

  #addOthers(row: number, { type, writers, place }: ObjectRecord): void {
    this.#types[row] = this.#typeNumber(type);
    if (writers) this.#writers.add(row, JSON.stringify(writers));
    this.#lines[row] = place?.line ?? Number.NaN;
    if (place) this.#pathAt[row] = this.#paths.of(place.path) + 1;
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

function factsText(record: ObjectRecord): string | undefined {
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

/** JSON would make an object of a typed array. */
function inJson<Column extends TextSets | ValueColumn>(
  column: Column | undefined,
): Column | undefined {
  return column && { ...column, at: Array.from(column.at) };
}
