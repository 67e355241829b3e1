import type { ResourceType } from '../resource-type.ts';
import { composeFields } from './compose.ts';
import { factFieldsOf } from './kinds-with-facts.ts';
import type { ObjectFacts } from './object-facts.ts';
import { ownField, printFields } from './print-fields.ts';
import { jsonOf, readFields } from './read-shape.ts';
import { printSecretFacts, readSecretFacts } from './secret-facts.ts';

type Json = Record<string, unknown>;

/** What is kept of an object besides its metadata; undefined when only metadata was read. */
export function factsOf(object: Json, type: ResourceType): ObjectFacts | undefined {
  if (isSecret(type)) return readSecretFacts(object);
  const fields = factFieldsOf(type);
  if (!fields) return undefined;
  const isRead = fields.some(({ path }) => {
    const [root = '', ...rest] = path;
    if (root === 'metadata') return false;
    return rest.length > 0 || root === 'spec' ? jsonOf(object[root]) : object[root] !== undefined;
  });
  if (!isRead) return undefined;
  const values = readFields(fields, object);
  const certificate = jsonOf(jsonOf(object[ownField])?.certificate);
  if (certificate) {
    const { notAfter } = certificate;
    values[fields.findIndex(({ key }) => key === 'certificate')] =
      typeof notAfter === 'string' ? { notAfter } : {};
  }
  return composeFields(
    fields,
    values,
    ({ path: [root = ''] }) => jsonOf(object[root]) !== undefined,
  );
}

/** Puts facts where they were read; an empty spec says that it was read, and nothing set in it. */
export function printFacts(facts: ObjectFacts, type: ResourceType, object: Json): void {
  if (isSecret(type)) printSecretFacts(facts, object);
  const fields = factFieldsOf(type);
  if (!fields) return;
  printFields(fields, facts, object);
  const roots = new Set(fields.map(({ path }) => path[0] ?? ''));
  const isSaid = [...roots].some((root) => root !== 'metadata' && root in object);
  if (isSaid) return;
  if (roots.has('spec')) object.spec = {};
  else if (roots.has('status')) object.status = {};
}

function isSecret({ group, kind }: ResourceType): boolean {
  return group === '' && kind === 'Secret';
}
