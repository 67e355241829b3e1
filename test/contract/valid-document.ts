import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { type SchemaName, schemaPath } from '../../scripts/schemas.ts';

export type { SchemaName };

const validators = new Map<SchemaName, ValidateFunction>();

/** A validator of one published document; fails loudly on a schema with a mistake in it. */
export function validatorOf(name: SchemaName): ValidateFunction {
  const known = validators.get(name);
  if (known) return known;
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  const made = ajv.compile(JSON.parse(readFileSync(schemaPath(name), 'utf8')));
  validators.set(name, made);
  return made;
}

/** The published document that a text holds, which its schema must take. */
export function validDocument(name: SchemaName, text: string): ReturnType<typeof JSON.parse> {
  const document = JSON.parse(text);
  const validate = validatorOf(name);
  validate(document);
  expect(validate.errors, text.slice(0, 2000)).toBeNull();
  return document;
}

/** The document as its readers get it. */
export function asPublished(name: SchemaName, document: object): ReturnType<typeof JSON.parse> {
  return validDocument(name, JSON.stringify(document));
}
