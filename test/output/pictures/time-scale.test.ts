import { expect, test } from 'vitest';
import type { PageMoment } from '../../../src/output/pages/page-data.ts';
import { binsOf, ticksOf, timeScale } from '../../../src/output/pictures/time-scale.ts';

const day = { from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z', lanes: [] };

test('the line of time goes from now to the end, and gives the first minutes more room', () => {
  const scale = timeScale(day);
  const at = (time: string) => Math.round(scale(Date.parse(time)) * 100);
  expect(
    [
      '2025-12-31T00:00:00Z',
      day.from,
      '2026-01-01T00:10:00Z',
      '2026-01-01T12:00:00Z',
      day.until,
      '2027-01-01T00:00:00Z',
    ].map(at),
  ).toEqual([0, 0, 33, 90, 100, 100]);
  expect(ticksOf(day).map(({ words }) => words)).toEqual(['now', '1m', '10m', '1h', '6h', '24h']);
});

test('steps at about the same time with the same result are one, and an open end is separate', () => {
  const moment = (object: string, notBefore: string, notAfter?: string): PageMoment => ({
    ...{ object, mark: 'goes', words: 'will be deleted', notBefore: `2026-01-01T${notBefore}Z` },
    ...(notAfter !== undefined && { notAfter: `2026-01-01T${notAfter}Z` }),
  });
  const bins = binsOf(
    [
      moment('a', '01:00:00', '01:00:10'),
      moment('b', '01:00:05', '01:00:10'),
      moment('c', '01:00:00'),
      moment('d', '10:00:00', '20:00:00'),
      { ...moment('e', '01:00:00', '01:00:10'), mark: 'stuck' },
    ],
    day,
  );
  expect(
    bins.map(({ moments, isOpen }) => [moments.map(({ object }) => object).join(), isOpen]),
  ).toEqual([
    ['a,b', false],
    ['c', true],
    ['d', false],
    ['e', false],
  ]);
});
