import { printFacts } from '../facts/object-facts.ts';
import type { ObjectRecord } from '../object-record.ts';
import type { ResourceType } from '../resource-type.ts';
import { toDifferences, toRuns } from './columns.ts';
import { RecordBlock } from './record-block.ts';
import {
  blockRows,
  factSeparator,
  type RareFields,
  type RecordColumns,
  type ValueColumn,
} from './record-columns.ts';
import { StoredRecord } from './stored-record.ts';
import { TextSetsBuilder } from './text-sets.ts';
import { secondsOf } from './timestamps.ts';
import { packUid, uidLength, uidWords } from './uids.ts';

const noUid = '0'.repeat(uidLength);
const scratch = new Uint32Array(uidWords);
/** So that a block can be read in one piece. */
const mostFactCharacters = 8 * 1024 * 1024;

/** A block as it is written: its columns, and the JSON of each of its facts. */
export interface WrittenBlock {
  readonly columns: RecordColumns;
  /** Joined by `factSeparator`. */
  readonly facts: string;
}

/** Takes records, one after the other, and makes a block of them. */
export class BlockBuilder {
  readonly #typeNumber: (type: ResourceType) => number;
  readonly #types: number[] = [];
  readonly #namespaces: string[] = [];
  readonly #names: string[] = [];
  readonly #uids: string[] = [];
  #hasUids = false;
  readonly #versions: (number | undefined)[] = [];
  readonly #created: (number | undefined)[] = [];
  readonly #labels = new TextSetsBuilder();
  readonly #annotations = new TextSetsBuilder();
  readonly #references = new TextSetsBuilder();
  readonly #finalizers = new ValuesBuilder();
  readonly #writers = new ValuesBuilder();
  readonly #facts = new ValuesBuilder();
  readonly #paths = new ValuesBuilder();
  readonly #lines: (number | undefined)[] = [];
  readonly #more: [number, RareFields][] = [];

  /** `typeNumber`: the number that stands for a type. */
  constructor(typeNumber: (type: ResourceType) => number) {
    this.#typeNumber = typeNumber;
  }

  get rows(): number {
    return this.#types.length;
  }

  get isFull(): boolean {
    return this.rows >= blockRows || this.#facts.characters >= mostFactCharacters;
  }

  add(record: ObjectRecord): void {
    const more: RareFields = {};
    const { name, uid, resourceVersion, creationTimestamp, deletionTimestamp } = record;
    this.#types.push(this.#typeNumber(record.type));
    this.#namespaces.push(record.namespace);
    const isOddName = name.includes('/');
    this.#names.push(isOddName ? '' : name);
    if (isOddName) more.name = name;
    const isUuid = uid.length === uidLength && packUid(uid, 0, scratch, 0);
    this.#uids.push(isUuid ? uid : noUid);
    if (!isUuid) more.uid = uid;
    this.#hasUids ||= uid !== '';
    const version = resourceVersion === undefined ? undefined : wholeNumber(resourceVersion);
    this.#versions.push(version);
    if (version === undefined && resourceVersion !== undefined)
      more.resourceVersion = resourceVersion;
    const created = creationTimestamp === undefined ? undefined : secondsOf(creationTimestamp);
    this.#created.push(created);
    if (created === undefined && creationTimestamp !== undefined) {
      more.creationTimestamp = creationTimestamp;
    }
    if (deletionTimestamp !== undefined) more.deletionTimestamp = deletionTimestamp;
    const { deletionGracePeriodSeconds } = record;
    if (deletionGracePeriodSeconds !== undefined) {
      more.deletionGracePeriodSeconds = deletionGracePeriodSeconds;
    }
    this.#addSets(record, more);
    const { place, writers } = record;
    this.#writers.add(writers && JSON.stringify(writers));
    const facts = factsText(record);
    this.#facts.add(facts, facts && `${this.#types.at(-1)} ${facts}`);
    this.#paths.add(place && JSON.stringify(place.path));
    this.#lines.push(place?.line);
    for (const _ in more) {
      this.#more.push([this.rows - 1, more]);
      break;
    }
  }

  #addSets(record: ObjectRecord, more: RareFields): void {
    const { labels, annotations, ownerReferences, finalizers } = record;
    this.#finalizers.add(finalizers.length === 0 ? undefined : JSON.stringify(finalizers));
    if (!labels || !this.#labels.addMap(labels)) {
      this.#labels.addNone();
      if (labels) more.labels = labels;
    }
    if (!annotations || !this.#annotations.addMap(annotations)) {
      this.#annotations.addNone();
      if (annotations) more.annotations = annotations;
    }
    if (ownerReferences.length === 0 || !this.#references.addReferences(ownerReferences)) {
      this.#references.addNone();
      if (ownerReferences.length > 0) more.ownerReferences = ownerReferences;
    }
  }

  finish(): WrittenBlock {
    const { rows } = this;
    const paths = this.#paths.finish();
    const facts = this.#facts.texts;
    return {
      columns: {
        rows,
        type: toRuns(this.#types),
        namespace: toRuns(this.#namespaces),
        name: this.#names.join('/'),
        uid: this.#hasUids ? this.#uids.join('') : undefined,
        resourceVersion: differences(this.#versions),
        creationTimestamp: differences(this.#created),
        labels: this.#labels.finish(),
        annotations: this.#annotations.finish(),
        ownerReferences: this.#references.finish(),
        finalizers: this.#finalizers.finish(),
        writers: this.#writers.finish(),
        place: paths && {
          paths: paths.values as readonly string[],
          path: toRuns(paths.at),
          line: toDifferences(this.#lines),
        },
        more: this.#moreOf(),
        facts: facts.length > 0 ? this.#facts.at : undefined,
      },
      facts: facts.join(factSeparator),
    };
  }

  /** Without the empty uids, where no object has one. */
  #moreOf(): [number, RareFields][] | undefined {
    const more = this.#hasUids
      ? this.#more
      : this.#more.filter(([, rare]) => {
          delete rare.uid;
          return Object.keys(rare).length > 0;
        });
    return more.length > 0 ? more : undefined;
  }
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
    const { columns, facts } = this.finish();
    return new RecordBlock(columns, facts, this.#blockTypes, undefined);
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
  if (!facts) return undefined;
  const object: Record<string, unknown> = {};
  printFacts(facts, type, object);
  return JSON.stringify(object);
}

/** Only of a number that is written as JavaScript writes it. */
function wholeNumber(text: string): number | undefined {
  return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined;
}

function differences(values: readonly (number | undefined)[]): (number | null)[] | undefined {
  return values.every((value) => value === undefined) ? undefined : toDifferences(values);
}

/** Values by their JSON, each once. */
class ValuesBuilder {
  readonly texts: string[] = [];
  readonly at: number[] = [];
  characters = 0;
  readonly #numbers = new Map<string, number>();

  add(text: string | undefined, key = text): void {
    let number = 0;
    if (text !== undefined && key !== undefined) {
      number = this.#numbers.get(key) ?? 0;
      if (number === 0) {
        number = this.texts.push(text);
        this.characters += text.length;
        this.#numbers.set(key, number);
      }
    }
    this.at.push(number);
  }

  finish(): ValueColumn | undefined {
    if (this.texts.length === 0) return undefined;
    return { values: this.texts.map((text) => JSON.parse(text) as unknown), at: this.at };
  }
}
