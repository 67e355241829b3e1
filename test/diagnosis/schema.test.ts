import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkIds } from '../../src/diagnosis/collector-check.ts';
import { causes } from '../../src/diagnosis/link.ts';

const schema = JSON.parse(
  readFileSync(new URL('../../schemas/why.json', import.meta.url), 'utf8'),
) as {
  readonly $defs: {
    readonly cause: { readonly enum: readonly string[] };
    readonly collectorHealth: {
      readonly properties: {
        readonly checks: {
          readonly items: { readonly properties: { readonly id: { readonly enum: string[] } } };
        };
      };
    };
  };
};

test('the published causes and checks are those that exist', () => {
  expect(schema.$defs.cause.enum).toEqual(causes);
  const { id } = schema.$defs.collectorHealth.properties.checks.items.properties;
  expect(id.enum).toEqual(checkIds);
});
