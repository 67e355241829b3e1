import { expect, test } from 'vitest';
import { fromFiles } from '../../src/files/from-files.ts';

/** `place` says where in a file an object stands. */
async function read(path: string) {
  const { records, types, coverage, observedAt, serverVersion } = await fromFiles([path], {
    now: () => new Date(),
  });
  const objects = records.map((record) => ({ ...JSON.parse(JSON.stringify(record)), place: '' }));
  return { objects, types, coverage, observedAt, serverVersion };
}

test('a snapshot of the format v1 holds what the same snapshot holds in v2', async () => {
  const first = await read('test/fixtures/snapshots/shop-v1.json.gz');
  expect(first.objects).toHaveLength(358);
  expect(first).toEqual(await read('examples/clusters/shop.json.gz'));
});
