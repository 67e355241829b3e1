import type { OwnerReference } from '../object-record.ts';
import { BadColumns, indexBelow, numbersOf, TextColumn } from './columns.ts';

/**
 * Sets of texts, each kept once: `0|app-0|web` has the values `app-0` and `web`, for the keys of shape
 * 0. Blanks part the sets, so that one string holds them all; a text that has a blank is kept elsewhere.
 */
export interface TextSets {
  readonly shapes: readonly unknown[];
  readonly sets: string;
  /** For each row the number of its set, from 1; 0 where it has none. */
  readonly at: readonly number[] | Uint16Array;
}

export const setSeparator = ' ';
export const valueSeparator = '|';
/** Of two references of one object. */
export const referenceSeparator = '|';
/** Of a reference's shape, name and uid: no name has it. */
export const fieldSeparator = '/';

class TextSetsColumn {
  readonly #sets: TextColumn;
  readonly #at: Uint16Array | Uint32Array;

  constructor(given: TextSets, rows: number) {
    this.#sets = new TextColumn(given.sets, setSeparator);
    this.#at = numbersOf(given.at, rows, this.#sets.count);
  }

  get count(): number {
    return this.#sets.count;
  }

  /** From 1; 0: none. */
  numberAt(row: number): number {
    return this.#at[row] as number;
  }

  /** The texts of a set, with the number of its shape in front. */
  text(number: number): string {
    return this.#sets.at(number - 1);
  }
}

/** How many sets of a block stay as objects: a reader of one often reads its neighbours. */
const mostRecent = 128;

/** Labels or annotations; each set becomes an object when somebody looks at it. */
export class MapColumn {
  readonly #column: TextSetsColumn;
  readonly #shapes: readonly (readonly string[])[];
  /** By the last digits of their numbers. */
  readonly #recent: { readonly number: number; readonly map: Readonly<Record<string, string>> }[] =
    [];

  constructor(given: TextSets, rows: number) {
    this.#column = new TextSetsColumn(given, rows);
    this.#shapes = listIn(given.shapes).map((keys) => listIn(keys).map(textIn));
  }

  at(row: number): Readonly<Record<string, string>> | undefined {
    const number = this.#column.numberAt(row);
    if (number === 0) return undefined;
    const recent = this.#recent[number % mostRecent];
    if (recent?.number === number) return recent.map;
    const map = this.#mapOf(this.#column.text(number));
    this.#recent[number % mostRecent] = { number, map };
    return map;
  }

  #mapOf(text: string): Readonly<Record<string, string>> {
    const [shape, ...values] = text.split(valueSeparator);
    const map: Record<string, string> = {};
    const keys = this.#shapes[indexBelow(Number(shape), this.#shapes.length)] ?? [];
    for (const [index, key] of keys.entries()) map[key] = values[index] ?? '';
    return map;
  }
}

export type ReferenceShape = Omit<OwnerReference, 'name' | 'uid'>;

/** Owner references, which become objects when somebody looks; those looked at last stay for a while. */
export class ReferencesColumn {
  readonly #column: TextSetsColumn;
  readonly #shapes: readonly ReferenceShape[];
  #lastNumber = 0;
  #last: readonly OwnerReference[] = [];

  constructor(given: TextSets, rows: number) {
    this.#column = new TextSetsColumn(given, rows);
    this.#shapes = listIn(given.shapes).map(referenceShapeOf);
  }

  isSet(row: number): boolean {
    return this.#column.numberAt(row) !== 0;
  }

  at(row: number): readonly OwnerReference[] {
    const number = this.#column.numberAt(row);
    if (number !== this.#lastNumber) {
      this.#lastNumber = number;
      this.#last = this.#referencesOf(this.#column.text(number));
    }
    return this.#last;
  }

  #referencesOf(text: string): readonly OwnerReference[] {
    if (!text.includes(referenceSeparator)) return [this.#referenceOf(text)];
    return text.split(referenceSeparator).map((one) => this.#referenceOf(one));
  }

  #referenceOf(text: string): OwnerReference {
    const nameAt = text.indexOf(fieldSeparator) + 1;
    const uidAt = text.indexOf(fieldSeparator, nameAt) + 1;
    const shape = this.#shapes[Number(text.slice(0, nameAt - 1))];
    if (nameAt === 0 || uidAt === 0 || !shape) throw new BadColumns('a reference is none');
    const { apiVersion, kind, controller, blockOwnerDeletion } = shape;
    const name = text.slice(nameAt, uidAt - 1);
    return { apiVersion, kind, name, uid: text.slice(uidAt), controller, blockOwnerDeletion };
  }
}

function referenceShapeOf(value: unknown): ReferenceShape {
  const shape = (value ?? {}) as Record<string, unknown>;
  const { controller, blockOwnerDeletion } = shape;
  return {
    apiVersion: textIn(shape.apiVersion),
    kind: textIn(shape.kind),
    controller: typeof controller === 'boolean' ? controller : undefined,
    blockOwnerDeletion: typeof blockOwnerDeletion === 'boolean' ? blockOwnerDeletion : undefined,
  };
}

function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new BadColumns('a list is none');
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new BadColumns('a text is none');
}
