/** Checks one argument of a caller without types; throws a TypeError that names it, what was expected, and what it is. */
export type Check = (value: unknown, argument: string) => void;

/** A check that throws unless something holds; `expected` completes "it must be". */
export function expecting(expected: string, holds: (value: unknown) => boolean): Check {
  return (value, argument) => {
    if (holds(value)) return;
    throw new TypeError(`${argument} must be ${expected}; it is ${inWords(value)}`);
  };
}

/** What a value is; of its content no more than a number or a short text. */
function inWords(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (value instanceof Promise) return 'a Promise: await it';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a Date without a time';
  if (typeof value === 'number' || typeof value === 'boolean')
    return `the ${typeof value} ${value}`;
  if (typeof value === 'string') return `the string ${JSON.stringify(value.slice(0, 40))}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export const aString = expecting('a string', (value) => typeof value === 'string');
export const aBoolean = expecting('true or false', (value) => typeof value === 'boolean');
export const aFunction = expecting('a function', (value) => typeof value === 'function');
export const aCount = expecting(
  'a whole number from 0 on',
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const aDuration = expecting(
  'a number of milliseconds from 0 on',
  (value) => typeof value === 'number' && value >= 0,
);
export const aDate = expecting(
  'a Date with a time',
  (value) => value instanceof Date && !Number.isNaN(value.getTime()),
);

export function oneOf(values: readonly string[]): Check {
  const named = values.map((value) => `"${value}"`).join(', ');
  return expecting(`one of ${named}`, (value) => values.includes(value as string));
}

export function aListOf(check: Check): Check {
  const isList = expecting('a list', Array.isArray);
  return (value, argument) => {
    isList(value, argument);
    for (const [index, one] of (value as unknown[]).entries()) check(one, `${argument}[${index}]`);
  };
}

export function either(first: Check, isSecond: (value: unknown) => boolean): Check {
  return (value, argument) => {
    if (!isSecond(value)) first(value, argument);
  };
}

const anObject = expecting(
  'an object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** An object whose fields, where they are set, pass; of those that are named in `required`, each is set. */
export function anObjectWith(
  fields: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
): Check {
  return (value, argument) => {
    anObject(value, argument);
    for (const [name, check] of Object.entries(fields)) {
      const field = (value as Readonly<Record<string, unknown>>)[name];
      if (field !== undefined || required.includes(name)) check(field, `${argument}.${name}`);
    }
  };
}
