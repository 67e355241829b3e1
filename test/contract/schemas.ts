import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const names = [
  'owners',
  'tree',
  'orphans',
  'invalid-ownerrefs',
  'simulate',
  'podgc-preview',
  'forecast',
  'images',
  'containers',
  'snapshot-diff',
  'snapshot-info',
  'plan',
  'deletion-comparison',
  'progress-event',
  'restore',
  'backup',
  'backups',
  'why',
  'settings',
  'audit',
  'version',
  'fleet',
] as const;
export type SchemaName = (typeof names)[number];

function read(name: string): Record<string, unknown> {
  const path = new URL(`../../schemas/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
}

/** A validator of one published document; fails loudly on a schema with a mistake in it. */
export function validatorOf(name: SchemaName): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true, schemas: [read('common')] });
  return ajv.compile(read(name));
}
