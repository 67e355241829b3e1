import { GcError } from '../../errors.ts';

/**
 * Columns that do not fit together: they were not written by a BlockBuilder. Some values are looked at late, so
 * that whoever asks for one may be told.
 */
export class BadColumns extends GcError {
  constructor(why: string) {
    super(`the saved snapshot cannot be used: ${why}`, {
      code: 'invalid-snapshot',
      suggestions: ['Save it again with "kubectl gc snapshot save".'],
    });
  }
}

/** Repeated values as pairs: value, how often in a row. */
export function toRuns<T>(values: readonly T[]): (T | number)[] {
  const runs: (T | number)[] = [];
  let count = 0;
  for (const [index, value] of values.entries()) {
    count++;
    if (index + 1 < values.length && values[index + 1] === value) continue;
    runs.push(value, count);
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

/** Each number as its difference to the one before it; null stays null. */
export function toDifferences(values: readonly (number | undefined)[]): (number | null)[] {
  let last = 0;
  return values.map((value) => {
    if (value === undefined) return null;
    const difference = value - last;
    last = value;
    return difference;
  });
}

/** A column of whole numbers, some of them unset: four bytes each where they lie close enough. */
export class NumberColumn {
  readonly #least: number;
  /** Above the least, plus one; 0 where unset. */
  readonly #numbers: Uint32Array | Float64Array;

  constructor(differences: unknown, rows: number) {
    const given = listOfLength(differences, rows);
    let value = 0;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (const difference of given) {
      if (difference === null) continue;
      value += difference as number;
      if (!Number.isSafeInteger(value)) throw new BadColumns('a number is none');
      if (value < least) least = value;
      if (value > most) most = value;
    }
    this.#least = least;
    this.#numbers = most - least < 0xffff_fff0 ? new Uint32Array(rows) : new Float64Array(rows);
    value = 0;
    for (let row = 0; row < rows; row++) {
      const difference = given[row];
      if (difference === null) continue;
      value += difference as number;
      this.#numbers[row] = value - least + 1;
    }
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
    for (let at = 0; at >= 0; found++) {
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

/** For each row the number of its value, from 1; 0 where it has none. */
export function numbersOf(at: unknown, rows: number, values: number): Uint16Array | Uint32Array {
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
