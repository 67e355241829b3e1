import { expect, test } from 'vitest';
import { collectorHealth, fromFiles } from '../../src/index.ts';

test('files without a Lease do not show whether the garbage collector works', async () => {
  const files = await fromFiles(['docs/part-of-a-cluster.yaml']);
  const report = await collectorHealth(files);
  expect([report.kind, report.health, report.coverage.complete]).toEqual([
    'CollectorHealth',
    'unknown',
    false,
  ]);
  const saved = await collectorHealth(await fromFiles(['examples/clusters/shop.json.gz']));
  expect(saved.checks.map(({ id, state }) => `${id} ${state}`)).toMatchInlineSnapshot(`
    [
      "leader unknown",
      "discovery ok",
      "api-services unknown",
      "kinds ok",
      "conversion-webhooks unknown",
      "permissions unknown",
      "admission ok",
      "events unknown",
      "garbage ok",
    ]
  `);
  expect(saved.health).toBe('unknown');
});
