import { factsOf, type ObjectFacts } from '../facts/object-facts.ts';
import { type Json, jsonOf, textsByKey } from '../json-value.ts';
import {
  type FieldManager,
  noFinalizers,
  noReferences,
  type OwnerReference,
  type Place,
} from '../object-record.ts';
import { ownerReferencesOf } from '../record-codec.ts';
import type { ResourceType } from '../resource-type.ts';
import { BadColumns, eachRun, indexBelow, NumberColumn, numbersOf, TextColumn } from './columns.ts';
import {
  factSeparator,
  type RareFields,
  type RecordColumns,
  type ValueColumn,
} from './record-columns.ts';
import { MapColumn, ReferencesColumn } from './text-sets.ts';
import { timestampAt } from './timestamps.ts';
import { packUid, uidLength, uidWords, unpackUid } from './uids.ts';

/** Some thousand objects, column by column: a fifth of what they take one by one. Throws BadColumns. */
export class RecordBlock {
  readonly rows: number;
  readonly #types: ResourceType[] = [];
  readonly #typeAt: Uint16Array;
  readonly #namespaces: string[] = [];
  readonly #namespaceAt: Uint16Array;
  readonly #names: TextColumn;
  readonly #uids: Uint32Array | undefined;
  readonly #versions: NumberColumn | undefined;
  readonly #created: NumberColumn | undefined;
  readonly #labels: MapColumn | undefined;
  readonly #annotations: MapColumn | undefined;
  readonly #references: ReferencesColumn | undefined;
  readonly #finalizers: Values<readonly string[]> | undefined;
  readonly #writers: Values<readonly FieldManager[]> | undefined;
  readonly #places: PlaceColumn;
  readonly #more: ReadonlyMap<number, RareFields> | undefined;
  readonly #facts: FactsColumn | undefined;

  /** `types`: by the numbers in the columns. `place`: of the objects that have none of their own. */
  constructor(
    columns: RecordColumns,
    facts: string,
    types: readonly ResourceType[],
    place: Place | undefined,
  ) {
    const rows = indexBelow(columns.rows, 0x10000);
    this.rows = rows;
    this.#typeAt = new Uint16Array(rows);
    eachRun(columns.type, rows, (number, from, to) => {
      const type = types[indexBelow(number, types.length)] as ResourceType;
      this.#typeAt.fill(numberOf(this.#types, type), from, to);
    });
    this.#namespaceAt = new Uint16Array(rows);
    const numbers = new Map<unknown, number>();
    eachRun(columns.namespace, rows, (namespace, from, to) => {
      if (typeof namespace !== 'string') throw new BadColumns('a namespace is none');
      const number = numbers.get(namespace) ?? this.#namespaces.push(namespace) - 1;
      numbers.set(namespace, number);
      this.#namespaceAt.fill(number, from, to);
    });
    this.#names = new TextColumn(columns.name, '/', rows);
    this.#uids = columns.uid === undefined ? undefined : packedUids(columns.uid, rows);
    const { resourceVersion, creationTimestamp, labels, annotations, ownerReferences } = columns;
    this.#versions = resourceVersion && new NumberColumn(resourceVersion, rows);
    this.#created = creationTimestamp && new NumberColumn(creationTimestamp, rows);
    this.#labels = labels && new MapColumn(labels, rows);
    this.#annotations = annotations && new MapColumn(annotations, rows);
    this.#references = ownerReferences && new ReferencesColumn(ownerReferences, rows);
    this.#finalizers = columns.finalizers && new Values(columns.finalizers, rows);
    this.#writers = columns.writers && new Values(columns.writers, rows);
    this.#places = new PlaceColumn(columns.place, rows, place);
    this.#more = columns.more && moreOf(columns.more, rows);
    this.#facts = columns.facts && new FactsColumn(columns.facts, facts, rows);
  }

  type(row: number): ResourceType {
    return this.#types[this.#typeAt[row] as number] as ResourceType;
  }

  /** Gives the objects of each type the one that `replace` says; cluster-scoped ones lose their namespace. */
  replaceTypes(replace: (type: ResourceType) => ResourceType): void {
    for (const [index, type] of this.#types.entries()) this.#types[index] = replace(type);
  }

  /** What its types are seen to be: how many objects, whether one has a namespace and one a uid. */
  observedTypes(): Map<ResourceType, { objects: number; namespaced: boolean; stored: boolean }> {
    const seen = this.#types.map(() => ({ objects: 0, namespaced: false, stored: false }));
    for (let row = 0; row < this.rows; row++) {
      const one = seen[this.#typeAt[row] as number];
      if (!one) continue;
      one.objects++;
      one.namespaced ||= this.#namespaces[this.#namespaceAt[row] as number] !== '';
      one.stored ||= this.uid(row) !== '';
    }
    return new Map(this.#types.map((type, index) => [type, seen[index]] as const)) as Map<
      ResourceType,
      (typeof seen)[0]
    >;
  }

  namespace(row: number): string {
    if (!this.type(row).namespaced) return '';
    return this.#namespaces[this.#namespaceAt[row] as number] as string;
  }

  name(row: number): string {
    return this.#more?.get(row)?.name ?? this.#names.at(row);
  }

  uid(row: number): string {
    const rare = this.#more?.get(row)?.uid;
    if (rare !== undefined) return rare;
    return this.#uids ? unpackUid(this.#uids, row * uidWords) : '';
  }

  copyUid(row: number, words: Uint32Array): boolean {
    const uids = this.#uids;
    if (!uids || typeof this.#more?.get(row)?.uid === 'string') return false;
    for (let word = 0; word < uidWords; word++) {
      words[word] = uids[row * uidWords + word] as number;
    }
    return true;
  }

  resourceVersion(row: number): string | undefined {
    const rare = this.#more?.get(row)?.resourceVersion;
    return rare ?? this.#versions?.at(row)?.toString();
  }

  creationTimestamp(row: number): string | undefined {
    const rare = this.#more?.get(row)?.creationTimestamp;
    if (rare !== undefined) return rare;
    const created = this.#created?.at(row);
    return created === undefined ? undefined : timestampAt(created);
  }

  deletionTimestamp(row: number): string | undefined {
    return this.#more?.get(row)?.deletionTimestamp;
  }

  deletionGracePeriodSeconds(row: number): number | undefined {
    return this.#more?.get(row)?.deletionGracePeriodSeconds;
  }

  ownerReferences(row: number): readonly OwnerReference[] {
    if (this.#references?.isSet(row)) return this.#references.at(row);
    return this.#more?.get(row)?.ownerReferences ?? noReferences;
  }

  finalizers(row: number): readonly string[] {
    return this.#finalizers?.at(row) ?? noFinalizers;
  }

  labels(row: number): Readonly<Record<string, string>> | undefined {
    return this.#more?.get(row)?.labels ?? this.#labels?.at(row);
  }

  annotations(row: number): Readonly<Record<string, string>> | undefined {
    return this.#more?.get(row)?.annotations ?? this.#annotations?.at(row);
  }

  writers(row: number): readonly FieldManager[] | undefined {
    return this.#writers?.at(row);
  }

  facts(row: number): ObjectFacts | undefined {
    return this.#facts?.at(row, this.type(row));
  }

  factsText(row: number): string | undefined {
    return this.#facts?.text(row);
  }

  place(row: number): Place | undefined {
    return this.#places.at(row);
  }
}

function numberOf<T>(known: T[], value: T): number {
  const at = known.lastIndexOf(value);
  return at < 0 ? known.push(value) - 1 : at;
}

function packedUids(uids: unknown, rows: number): Uint32Array {
  const words = new Uint32Array(rows * uidWords);
  const isWhole = typeof uids === 'string' && uids.length === rows * uidLength;
  for (let row = 0; row < rows; row++) {
    if (!isWhole || !packUid(uids, row * uidLength, words, row * uidWords)) {
      // 36 zeros stand for what is no UUID, and for nothing.
      if (isWhole && uids.startsWith('0'.repeat(uidLength), row * uidLength)) continue;
      throw new BadColumns('a uid is none');
    }
  }
  return words;
}

function moreOf(more: unknown, rows: number): ReadonlyMap<number, RareFields> {
  const fields = new Map<number, RareFields>();
  for (const entry of Array.isArray(more) ? more : []) {
    const [row, rare] = Array.isArray(entry) ? entry : [];
    fields.set(indexBelow(row, rows), rareFieldsOf(jsonOf(rare) ?? {}));
  }
  return fields;
}

const texts = ['name', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'] as const;

function rareFieldsOf(json: Json): RareFields {
  const rare: RareFields = {};
  for (const field of texts) {
    const text = json[field];
    if (text === undefined) continue;
    if (typeof text !== 'string') throw new BadColumns(`the ${field} of an object is none`);
    rare[field] = text;
  }
  const { deletionGracePeriodSeconds: seconds, labels, annotations, ownerReferences } = json;
  if (typeof seconds === 'number') rare.deletionGracePeriodSeconds = seconds;
  if (labels !== undefined) rare.labels = textsByKey(labels) ?? {};
  if (annotations !== undefined) rare.annotations = textsByKey(annotations) ?? {};
  if (ownerReferences !== undefined) rare.ownerReferences = ownerReferencesOf(ownerReferences);
  return rare;
}

/** Few values, each once. */
class Values<T> {
  readonly #values: readonly T[];
  readonly #at: Uint16Array | Uint32Array;

  constructor({ values, at }: ValueColumn, rows: number) {
    if (!Array.isArray(values) || !values.every(Array.isArray)) {
      throw new BadColumns('a list of values is none');
    }
    this.#values = values as readonly unknown[] as readonly T[];
    this.#at = numbersOf(at, rows, values.length);
  }

  at(row: number): T | undefined {
    const number = this.#at[row] as number;
    return number === 0 ? undefined : this.#values[number - 1];
  }
}

class PlaceColumn {
  readonly #paths: readonly string[];
  readonly #pathAt: Uint16Array | undefined;
  readonly #lines: NumberColumn | undefined;
  readonly #place: Place | undefined;

  constructor(column: RecordColumns['place'], rows: number, place: Place | undefined) {
    this.#place = place;
    this.#paths = column?.paths ?? [];
    if (!column) return;
    const paths = new Uint16Array(rows);
    eachRun(column.path, rows, (number, from, to) => {
      paths.fill(indexBelow(number, this.#paths.length + 1), from, to);
    });
    this.#pathAt = paths;
    this.#lines = new NumberColumn(column.line, rows);
  }

  at(row: number): Place | undefined {
    const path = this.#paths[(this.#pathAt?.[row] ?? 0) - 1];
    return path === undefined ? this.#place : { path, line: this.#lines?.at(row) ?? 1 };
  }
}

/** Facts are JSON until somebody looks at them, and equal ones are one. */
class FactsColumn {
  readonly #texts: TextColumn;
  readonly #at: Uint16Array | Uint32Array;
  readonly #facts: (ObjectFacts | undefined)[] = [];

  constructor(at: unknown, texts: string, rows: number) {
    this.#texts = new TextColumn(texts, factSeparator);
    this.#at = numbersOf(at, rows, this.#texts.count);
  }

  text(row: number): string | undefined {
    const number = this.#at[row] as number;
    return number === 0 ? undefined : this.#texts.at(number - 1);
  }

  at(row: number, type: ResourceType): ObjectFacts | undefined {
    const number = this.#at[row] as number;
    if (number === 0) return undefined;
    this.#facts[number] ??= factsOf(this.#jsonAt(number), type);
    return this.#facts[number];
  }

  #jsonAt(number: number): Json {
    let value: unknown;
    try {
      value = JSON.parse(this.#texts.at(number - 1));
    } catch {
      throw new BadColumns('the spec of an object is no JSON');
    }
    const json = jsonOf(value);
    if (!json) throw new BadColumns('the spec of an object is none');
    return json;
  }
}
