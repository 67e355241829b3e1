import { expect, test } from 'vitest';
import { StringPool } from '../../src/cluster/protobuf/string-pool.ts';

test.each([
  ['that grows', new StringPool()],
  ['with few slots', new StringPool(16)],
])('a pool %s decodes its bytes', (_, pool) => {
  const texts = Array.from({ length: 20_000 }, (_, at) =>
    `label-${at % 15_000}=größe-${at}`.slice(0, 14),
  );
  const bytes = Buffer.from(texts.join(''));
  let at = 0;
  const made = texts.map((text) => {
    const start = at;
    at += Buffer.byteLength(text);
    return pool.shared(bytes, start, at);
  });
  expect(made).toEqual(texts);
});
