import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { gcHere } from '../support/run-here.ts';
import type { SchemaName } from './schemas.ts';
import { validDocument } from './valid-document.ts';

const questions: readonly (readonly [SchemaName, string])[] = [
  ['images', 'images --from examples/nodes'],
  ['containers', 'containers --from examples/nodes'],
];

describe.each(questions)('%s: %s', (schema, question) => {
  test('JSON as published, YAML the same', async () => {
    const { code, stdout, stderr } = await gcHere(`${question} -o json`);
    expect([code, stderr]).toEqual([0, '']);
    const document = validDocument(schema, stdout);
    expect(parse((await gcHere(`${question} -o yaml`)).stdout)).toEqual(document);
  });
});
