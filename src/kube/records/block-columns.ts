import { factsOf, type ObjectFacts } from '../facts/object-facts.ts';
import { type Json, jsonOf } from '../json-value.ts';
import type { FieldManager, Place } from '../object-record.ts';
import type { ResourceType } from '../resource-type.ts';
import { BadColumns, type NumberColumn, numbersOf, TextColumn } from './columns.ts';
import { factSeparator, type RareFields, type ValueColumn } from './record-columns.ts';
import type { MapColumn, ReferencesColumn } from './text-sets.ts';

/** The columns of a block in memory; a column that no row needs is undefined. */
export interface BlockColumns {
  readonly rows: number;
  readonly types: readonly ResourceType[];
  /** For each row its type among `types`. */
  readonly typeAt: Uint16Array;
  readonly namespaces: readonly string[];
  readonly namespaceAt: Uint16Array;
  readonly names: TextColumn;
  /** Zeros where `more` has a uid. */
  readonly uids: Uint32Array | undefined;
  readonly versions: NumberColumn | undefined;
  /** Seconds since 1970. */
  readonly created: NumberColumn | undefined;
  readonly labels: MapColumn | undefined;
  readonly annotations: MapColumn | undefined;
  readonly references: ReferencesColumn | undefined;
  readonly finalizers: Values<readonly string[]> | undefined;
  readonly writers: Values<readonly FieldManager[]> | undefined;
  readonly places: Places;
  readonly more: ReadonlyMap<number, RareFields> | undefined;
  readonly facts: FactsColumn | undefined;
}

/** Few values, each once. */
export class Values<T> {
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

/** Where the objects were read. */
export class Places {
  readonly #paths: readonly string[];
  /** From 1; 0: none. */
  readonly #pathAt: Uint16Array | undefined;
  readonly #lines: NumberColumn | undefined;
  readonly #place: Place | undefined;

  /** `place`: of the objects that have none of their own. */
  constructor(
    place: Place | undefined,
    paths: readonly string[] = [],
    pathAt?: Uint16Array,
    lines?: NumberColumn,
  ) {
    this.#place = place;
    this.#paths = paths;
    this.#pathAt = pathAt;
    this.#lines = lines;
  }

  at(row: number): Place | undefined {
    const path = this.#paths[(this.#pathAt?.[row] ?? 0) - 1];
    return path === undefined ? this.#place : { path, line: this.#lines?.at(row) ?? 1 };
  }
}

/** Facts are JSON until somebody looks at them, and equal ones are one. */
export class FactsColumn {
  readonly #texts: TextColumn;
  readonly #at: Uint16Array | Uint32Array;
  readonly #facts: (ObjectFacts | undefined)[] = [];

  constructor(at: unknown, texts: string, rows: number) {
    this.#texts = new TextColumn(texts, factSeparator);
    this.#at = numbersOf(at, rows, this.#texts.count);
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
