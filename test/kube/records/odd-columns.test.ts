import { expect, test } from 'vitest';
import { fromDifferences, NumberColumn } from '../../../src/kube/records/columns.ts';
import { readColumns } from '../../../src/kube/records/read-columns.ts';
import type { RecordColumns } from '../../../src/kube/records/record-columns.ts';
import { builtIn } from '../../cluster/built-in.ts';

test.each([[{ toString: 1 }], ['1'], [1.5], [Number.MAX_VALUE], [undefined], [[]]])(
  'a column of numbers with %j is none',
  (value) => {
    expect(() => fromDifferences([1, value], 2)).toThrow(
      expect.objectContaining({
        code: 'invalid-snapshot',
        message: 'the saved snapshot cannot be used: a number is none',
      }),
    );
  },
);

test('a column of numbers has the numbers that its differences lead to', () => {
  const column = new NumberColumn(fromDifferences([7, null, 3, -9], 4));
  expect([0, 1, 2, 3].map((row) => column.at(row))).toEqual([7, undefined, 10, 1]);
});

test.each([[undefined], [[1]], ['a'], [{}]])('places in files %j are none', (paths) => {
  const place = { paths, path: [1, 1], line: [3] };
  const columns = { rows: 1, type: [0, 1], namespace: ['', 1], name: 'a', place };
  const read = () =>
    readColumns(columns as unknown as RecordColumns, '', [builtIn('pods')], undefined);
  expect(read).toThrow('the saved snapshot cannot be used: the paths of its files are none');
});
