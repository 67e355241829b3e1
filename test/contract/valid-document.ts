import { expect } from 'vitest';
import { type SchemaName, validatorOf } from './schemas.ts';

const validators = new Map<SchemaName, ReturnType<typeof validatorOf>>();

/** The published document that a text holds, which its schema must take. */
export function validDocument(name: SchemaName, text: string): ReturnType<typeof JSON.parse> {
  const document = JSON.parse(text);
  const validate = validators.get(name) ?? validatorOf(name);
  validators.set(name, validate);
  validate(document);
  expect(validate.errors, text.slice(0, 2000)).toBeNull();
  return document;
}
