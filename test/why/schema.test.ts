import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { causes } from '../../src/why/chain.ts';
import { checkIds } from '../../src/why/garbage-collector/health-check.ts';

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
