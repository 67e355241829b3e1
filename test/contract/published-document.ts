import { expect } from 'vitest';
import { parse } from 'yaml';
import { gcHere } from '../support/run-here.ts';
import { type SchemaName, validatorOf } from './schemas.ts';

const validators = new Map<SchemaName, ReturnType<typeof validatorOf>>();

/** Runs a question with -o json and checks the document against its published schema. */
export async function documentOf(line: string): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await gcHere(line);
  expect([line, code], stderr).toEqual([line, 0]);
  const document = JSON.parse(stdout);
  const validate = validators.get(schemaOf(line)) ?? validatorOf(schemaOf(line));
  validators.set(schemaOf(line), validate);
  validate(document);
  expect([line, validate.errors]).toEqual([line, null]);
  return document;
}

function schemaOf(line: string): SchemaName {
  const [word = ''] = line.split(' ');
  if (word === 'delete') return line.includes('--compare') ? 'deletion-comparison' : 'plan';
  return (word === 'snapshot' ? line.split(' ').slice(0, 2).join('-') : word) as SchemaName;
}

/** Does -o yaml say the same, to readers of either version of YAML? */
export async function expectYaml(line: string, document: unknown): Promise<void> {
  const { stdout } = await gcHere(line);
  expect(parse(stdout, { version: '1.1' })).toEqual(document);
  expect(parse(stdout, { version: '1.2' })).toEqual(document);
}
