import { GcError } from '../../errors.ts';
import { shellCommand, suggested } from '../shell-command.ts';

/** How many objects a block has at most: their numbers fit into 16 bits. */
export const blockRows = 16_384;

/**
 * Columns that do not fit together: they were not written by a BlockBuilder. Some values are checked late: then the
 * caller that asks for one is told.
 */
export class BadColumns extends GcError {
  constructor(why: string) {
    super(`the saved snapshot cannot be used: ${why}`, {
      code: 'invalid-snapshot',
      suggestions: [suggested('To save it again', shellCommand`kubectl gc snapshot save FILE`)],
    });
  }
}

/** Repeated values as pairs: value, how often in a row. `named`: what stands for a number. */
export function toRuns<T>(numbers: Uint16Array, named: (number: number) => T): (T | number)[] {
  const runs: (T | number)[] = [];
  let count = 0;
  for (const [index, number] of numbers.entries()) {
    count++;
    if (index + 1 < numbers.length && numbers[index + 1] === number) continue;
    runs.push(named(number), count);
    count = 0;
  }
  return runs;
}

/** Calls `each` with the value of each run and the rows from and to which it holds. */
export function eachRun(
  runs: unknown,
  rows: number,
  each: (value: unknown, from: number, to: number) => void,
): void {
  const pairs = Array.isArray(runs) ? runs : [];
  let from = 0;
  for (let at = 0; at < pairs.length; at += 2) {
    const to = from + indexBelow(pairs[at + 1], rows - from + 1);
    each(pairs[at], from, to);
    from = to;
  }
  if (from !== rows) throw new BadColumns(`a column has ${from} of ${rows} rows`);
}

/** Each number as its difference to the one before it; what is unset, NaN, is null. */
export function toDifferences(values: Float64Array): (number | null)[] {
  let last = 0;
  return Array.from(values, (value) => {
    if (Number.isNaN(value)) return null;
    const difference = value - last;
    last = value;
    return difference;
  });
}

/** The numbers that toDifferences wrote. */
export function fromDifferences(differences: unknown, rows: number): Float64Array {
  const given = listOfLength(differences, rows);
  const values = new Float64Array(rows).fill(Number.NaN);
  let value = 0;
  for (let row = 0; row < rows; row++) {
    const difference = given[row];
    if (difference === null) continue;
    value += typeof difference === 'number' ? difference : Number.NaN;
    if (!Number.isSafeInteger(value)) throw new BadColumns('a number is none');
    values[row] = value;
  }
  return values;
}

/** A column of whole numbers, some of them unset (NaN): four bytes each where they lie close enough. */
export class NumberColumn {
  readonly #least: number;
  /** Above the least, plus one; 0 where unset. */
  readonly #numbers: Uint32Array | Float64Array;

  constructor(values: Float64Array) {
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    // Comparisons with NaN are false.
    for (const value of values) {
      if (value < least) least = value;
      if (value > most) most = value;
    }
    const { length } = values;
    const numbers = most - least < 0xffff_fff0 ? new Uint32Array(length) : new Float64Array(length);
    for (let row = 0; row < length; row++) {
      const value = values[row] as number;
      if (value >= least) numbers[row] = value - least + 1;
    }
    this.#least = least;
    this.#numbers = numbers;
  }

  at(row: number): number | undefined {
    const above = this.#numbers[row] as number;
    return above === 0 ? undefined : this.#least + above - 1;
  }
}

/** Texts in one string, found by where they begin. */
export class TextColumn {
  readonly #text: string;
  readonly #starts: Uint32Array;
  readonly #gap: number;

  /** `separator` stands between the texts. */
  constructor(text: unknown, separator: string, count?: number) {
    if (typeof text !== 'string') throw new BadColumns('a column of texts is none');
    let starts = new Uint32Array(1 + (count ?? text.length / 16));
    let found = 0;
    // A block of no rows has no text; without a count, one empty text may be meant.
    for (let at = count === 0 && text === '' ? -1 : 0; at >= 0; found++) {
      if (found === starts.length) starts = longer(starts);
      starts[found] = at;
      const end = text.indexOf(separator, at);
      at = end < 0 ? -1 : end + separator.length;
    }
    if (count !== undefined && found !== count) {
      throw new BadColumns(`a column has ${found} of ${count} texts`);
    }
    if (found === starts.length) starts = longer(starts);
    starts[found] = text.length + separator.length;
    this.#gap = separator.length;
    this.#text = text;
    this.#starts = starts.slice(0, found + 1);
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  at(index: number): string {
    const start = this.#starts[index] as number;
    return this.#text.slice(start, (this.#starts[index + 1] as number) - this.#gap);
  }
}

function longer(starts: Uint32Array): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(starts.length * 2);
  copy.set(starts);
  return copy;
}

/** For each row the number of its value, from 1; 0 where it has none. A builder's own numbers are right. */
export function numbersOf(at: unknown, rows: number, values: number): Uint16Array | Uint32Array {
  if (at instanceof Uint16Array) return at;
  const given = listOfLength(at, rows);
  const numbers = values < 0xffff ? new Uint16Array(rows) : new Uint32Array(rows);
  for (let row = 0; row < rows; row++) numbers[row] = indexBelow(given[row], values + 1);
  return numbers;
}

export function indexBelow(value: unknown, end: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < end)
    return value;
  const shown = typeof value === 'number' ? `${value}` : 'one of its values';
  throw new BadColumns(`${shown} is not a number below ${end}`);
}

function listOfLength(value: unknown, length: number): readonly unknown[] {
  if (Array.isArray(value) && value.length === length) return value;
  throw new BadColumns(`a column does not have ${length} rows`);
}
