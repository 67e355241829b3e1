import { type GcError, usageError } from '../errors.ts';

/** A mapping of a scenario whose fields are known by name and not yet by type. */
export type Fields = Readonly<Record<string, unknown>>;

export function invalidScenario(place: string, why: string): GcError {
  const where = place === '' ? 'the document' : place;
  return usageError(
    'invalid-scenario',
    `the scenario cannot be played: ${where} ${why}`,
    'docs/commands/simulate.md shows a whole scenario.',
  );
}

/** The value as a mapping with no other fields than these. */
export function fieldsOf(value: unknown, place: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidScenario(place, 'is not a mapping');
  }
  for (const field of Object.keys(value)) {
    if (known.includes(field)) continue;
    const at = place === '' ? field : `${place}.${field}`;
    throw invalidScenario(at, `is not known here; fields are ${known.join(', ')}`);
  }
  return value as Fields;
}

export function requiredText(fields: Fields, field: string, place: string): string {
  const value = optionalText(fields, field, place);
  if (value) return value;
  throw invalidScenario(`${place}.${field}`, 'is missing');
}

export function optionalText(fields: Fields, field: string, place: string): string | undefined {
  const value = fields[field];
  if (value === undefined || typeof value === 'string') return value;
  throw invalidScenario(`${place}.${field}`, 'is not a text');
}

export function optionalNumber(fields: Fields, field: string, place: string): number | undefined {
  const value = fields[field];
  if (value === undefined) return undefined;
  if (Number.isInteger(value)) return value as number;
  throw invalidScenario(`${place}.${field}`, 'is not a whole number');
}

export function optionalBoolean(fields: Fields, field: string, place: string): boolean | undefined {
  const value = fields[field];
  if (value === undefined || typeof value === 'boolean') return value;
  throw invalidScenario(`${place}.${field}`, 'is neither true nor false');
}
