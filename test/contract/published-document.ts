import { expect } from 'vitest';
import { parse } from 'yaml';
import { gcHere } from '../support/run-here.ts';
import { type SchemaName, validDocument } from './valid-document.ts';

/** Runs a question with -o json and checks the document against its published schema. */
export async function documentOf(line: string): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await gcHere(line);
  expect([line, code], stderr).toEqual([line, 0]);
  return validDocument(schemaOf(line), stdout);
}

function schemaOf(line: string): SchemaName {
  const [word = '', object = ''] = line.split(' ');
  if (word === 'deleted') return object.includes('/') ? 'deletion-chain' : 'deletions';
  if (word === 'delete' || line.includes(' --apply'))
    return line.includes('--compare') ? 'deletion-comparison' : 'plan';
  return (word === 'snapshot' ? line.split(' ').slice(0, 2).join('-') : word) as SchemaName;
}

/** Does -o yaml say the same, to readers of either version of YAML? */
export async function expectYaml(line: string, document: unknown): Promise<void> {
  const { stdout } = await gcHere(line);
  expect(parse(stdout, { version: '1.1' })).toEqual(document);
  expect(parse(stdout, { version: '1.2' })).toEqual(document);
}
