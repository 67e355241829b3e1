import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type SchemaName, schemaPath } from '../../scripts/schemas.ts';

export type { SchemaName };

/** A validator of one published document; fails loudly on a schema with a mistake in it. */
export function validatorOf(name: SchemaName): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  return ajv.compile(JSON.parse(readFileSync(schemaPath(name), 'utf8')));
}
