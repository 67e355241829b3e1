import { parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import type { ExportTable } from '../../../src/questions/snapshot/export-tables.ts';
import { ParquetFile } from '../../../src/questions/snapshot/parquet.ts';

const table: ExportTable = {
  name: 'numbers',
  columns: { name: 'text', at: 'time', number: 'count', even: 'flag' },
  rows: () => [],
};

async function read(pieces: readonly Uint8Array[]): Promise<Record<string, unknown>[]> {
  const { buffer } = Uint8Array.from(pieces.flatMap((piece) => [...piece]));
  return parquetReadObjects({ file: buffer });
}

test('every type of column is read back, and unset values are null', async () => {
  const file = new ParquetFile(table);
  const at = new Date('2026-11-22T12:00:00.250Z');
  const rows = [
    ['größe', at, 7, true],
    [undefined, undefined, undefined, undefined],
    ['', at, 0, false],
  ];
  const pieces = [...file.add(rows), file.end()];
  expect(await read(pieces)).toEqual([
    { name: 'größe', at, number: 7, even: true },
    { name: null, at: null, number: null, even: null },
    { name: '', at, number: 0, even: false },
  ]);
});

test('a table without rows is a whole file', async () => {
  const file = new ParquetFile(table);
  expect(await read([...file.add([]), file.end()])).toEqual([]);
});

test.each([9_999, 10_000, 20_001])('%d rows are written in pieces and come back', async (count) => {
  const file = new ParquetFile(table);
  const rows = function* (from: number, to: number) {
    for (let number = from; number < to; number++) {
      yield [`name-${number}`, undefined, number, number % 2 === 0];
    }
  };
  // Two clusters, whose rows share a piece.
  const pieces = [...file.add(rows(0, 7_000)), ...file.add(rows(7_000, count)), file.end()];
  expect([pieces.length, file.rows]).toEqual([1 + Math.floor(count / 10_000), count]);
  const back = await read(pieces);
  expect(back.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, at) => at));
  expect(back.at(-1)).toEqual({
    name: `name-${count - 1}`,
    at: null,
    number: count - 1,
    even: count % 2 === 1,
  });
});
