import {
  fields,
  InvalidDocument,
  matching,
  optional,
  type Schema,
} from '../syntax/document-part.ts';

/** Checks an argument of a caller without types; throws a TypeError that names it, what it is, and what was expected. */
export function checkArgument(part: Schema<unknown>, value: unknown, argument: string): void {
  try {
    part(value);
  } catch (error) {
    throw error instanceof InvalidDocument ? new TypeError(error.messageAt(argument)) : error;
  }
}

/** Checks the fields of `options` that are set. */
export function checkOptions(options: unknown, parts: Readonly<Record<string, Schema<unknown>>>) {
  checkArgument(whereSet(parts), options, 'options');
}

/** An object whose fields pass, where they are set. */
export function whereSet(parts: Readonly<Record<string, Schema<unknown>>>): Schema<unknown> {
  const entries = Object.entries(parts).map(([name, part]) => [name, optional(part)] as const);
  return fields(Object.fromEntries(entries));
}

export const aFunction = matching('a function', (value) => typeof value === 'function');
export const aDuration = matching(
  'a number of milliseconds from 0 on',
  (value): value is number => typeof value === 'number' && value >= 0,
);
export const aDate = matching(
  'a Date with a time',
  (value): value is Date => value instanceof Date && !Number.isNaN(value.getTime()),
);
