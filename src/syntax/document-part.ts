import type { Suggestion } from '../errors.ts';
import { type Json, jsonOf, typeNameOf } from '../kube/json-value.ts';
import { didYouMean } from '../kube/names.ts';

/**
 * Reads a part of a document of ours: answers with it when it is what it should be, and throws InvalidDocument otherwise. One
 * declaration of parts is the check of a document, and its type (`Declared`).
 */
export type Schema<T> = (value: unknown) => T;

/** The type of the value that a part reads. */
export type Declared<P> = P extends Schema<infer T> ? T : never;

/** Something in a document is not what it should be. */
export class InvalidDocument extends Error {
  /** Where, from the part that was read: `.objects[3].fate`; empty for the part itself. */
  place = '';
  /** What may have been meant. */
  readonly hints: readonly Suggestion[];
  readonly #what: string;
  readonly #withoutValue: string;

  constructor(what: string, hints: readonly Suggestion[] = [], withoutValue = what) {
    super(what);
    this.name = 'InvalidDocument';
    this.#what = what;
    this.#withoutValue = withoutValue;
    this.hints = hints;
  }

  /** `objects[3].fate is "gone", not one of deleted, kept`; `root` stands before the place. */
  messageAt(root = ''): string {
    return this.#told(root, this.#what);
  }

  /** The same where a value may be a secret: `users[0].user.token must be a string, not a number`. */
  messageWithoutValue(): string {
    return this.#told('', this.#withoutValue);
  }

  #told(root: string, what: string): string {
    const place = `${root}${this.place}`.replace(/^\./, '');
    return `${place === '' ? 'it' : place} ${what}`;
  }
}

/** A value that passes, as it is; `hintsOf` one that does not. */
export function matching<T>(
  wanted: string,
  passes: (value: unknown) => value is T,
  hintsOf?: (value: unknown) => readonly string[],
): Schema<T> {
  return readAs(wanted, (value) => (passes(value) ? value : undefined), hintsOf);
}

/** What `read` makes of a value; undefined of one that is not what is wanted. */
export function readAs<T>(
  wanted: string,
  read: (value: unknown) => T | undefined,
  hintsOf: (value: unknown) => readonly string[] = () => [],
): Schema<T> {
  return (value) => {
    const result = read(value);
    if (result !== undefined) return result;
    if (value === undefined) throw new InvalidDocument('is missing');
    const withoutValue = `must be ${wanted}, not ${typeNameOf(value)}`;
    throw new InvalidDocument(
      `is ${quotedValue(value)}, not ${wanted}`,
      hintsOf(value),
      withoutValue,
    );
  };
}

export const text = matching('a string', (value) => typeof value === 'string');
/** A text that is more than white space. */
export const nonEmptyText = matching(
  'a text',
  (value): value is string => typeof value === 'string' && value.trim() !== '',
);
export const number = matching('a number', (value) => typeof value === 'number');
export const boolean = matching('true or false', (value) => typeof value === 'boolean');
/** A whole number from 0 on. */
export const count = matching(
  'a whole number from 0 on',
  (value): value is number => Number.isInteger(value) && (value as number) >= 0,
);
/** An object whose fields are checked by others. */
export const mapping = matching('a mapping', (value): value is Json => jsonOf(value) !== undefined);
const anyList = matching('a list', (value): value is readonly unknown[] => Array.isArray(value));

export function oneOf<const T extends string>(...words: readonly T[]): Schema<T> {
  const wanted = words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`;
  return matching(wanted, (value): value is T => words.includes(value as T));
}

export function list<T>(of: Schema<T>): Schema<readonly T[]> {
  return (value) => anyList(value).map((entry, index) => inside(of, entry, `[${index}]`));
}

/** An object with any keys, or with those that `keys` takes. */
export function map<T>(
  of: Schema<T>,
  keys: Schema<string> = text,
): Schema<Readonly<Record<string, T>>> {
  return (value) =>
    Object.fromEntries(
      Object.entries(mapping(value)).map(([key, entry]) => [
        inside(keys, key, `.${key}`),
        inside(of, entry, `.${key}`),
      ]),
    );
}

/** One of several objects: its `field` says which. */
export function either<P extends Readonly<Record<string, Schema<unknown>>>>(
  field: string,
  parts: P,
): Schema<Declared<P[keyof P]>> {
  const word = oneOf(...Object.keys(parts));
  return (value) => {
    const which = inside(word, mapping(value)[field], `.${field}`);
    return parts[which]?.(value) as Declared<P[keyof P]>;
  };
}

/** A field that need not be there. */
export interface Optional<T> {
  readonly optional: Schema<T>;
}

export function optional<T>(part: Schema<T>): Optional<T> {
  return { optional: part };
}

/** A field that is undefined where it is not there. */
export function orUnset<T>(part: Schema<T>): Schema<T | undefined> {
  return defaultTo<T | undefined>(undefined, part);
}

/** What stands for a field that is not there. */
export function defaultTo<T>(fallback: T, part: Schema<T>): Schema<T> {
  return (value) => (value === undefined ? fallback : part(value));
}

type Parts = Readonly<Record<string, Schema<unknown> | Optional<unknown>>>;

type OptionalKeys<P extends Parts> = {
  [Key in keyof P]: P[Key] extends Optional<unknown> ? Key : never;
}[keyof P];

export type FieldsOf<P extends Parts> = {
  readonly [Key in Exclude<keyof P, OptionalKeys<P>>]: Declared<P[Key]>;
} & {
  readonly [Key in OptionalKeys<P>]?: P[Key] extends Optional<infer T> ? T : never;
};

/** The same of what people write: a misspelt field would be ignored silently, and with it what it should have done. */
export function onlyFields<P extends Parts>(parts: P): Schema<FieldsOf<P>> {
  const known = Object.keys(parts);
  const whole = fields(parts);
  return (value) => {
    const other = Object.keys(mapping(value)).find((key) => !known.includes(key));
    if (other === undefined) return whole(value);
    const what = `is not known here; known are ${known.join(', ')}`;
    const misfit = new InvalidDocument(what, didYouMean(other, known));
    misfit.place = `.${other}`;
    throw misfit;
  };
}

/** An object with these fields; others are left out. */
export function fields<P extends Parts>(parts: P): Schema<FieldsOf<P>> {
  const known = Object.entries(parts);
  return (value) => {
    const json = mapping(value);
    const read: Record<string, unknown> = {};
    for (const [name, part] of known) {
      const field = json[name];
      if (typeof part === 'function') read[name] = inside(part, field, `.${name}`);
      else if (field !== undefined) read[name] = inside(part.optional, field, `.${name}`);
    }
    return read as FieldsOf<P>;
  };
}

function inside<T>(part: Schema<T>, value: unknown, step: string): T {
  try {
    return part(value);
  } catch (error) {
    if (error instanceof InvalidDocument) error.place = step + error.place;
    throw error;
  }
}

function quotedValue(value: unknown): string {
  if (typeof value === 'object') return typeNameOf(value);
  const json = JSON.stringify(value) ?? typeof value;
  return json.length > 63 ? `${json.slice(0, 60)}…` : json;
}
