import { describe, expect, test } from 'vitest';
import { age, humanDuration } from '../../src/kube/time.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** What duration.HumanDuration of apimachinery v0.36.3 prints at and around its boundaries. */
const printed: readonly (readonly [number, string])[] = [
  [-3, '<invalid>'],
  [-2, '<invalid>'],
  [-1, '0s'],
  [0, '0s'],
  [1, '1s'],
  [59, '59s'],
  [119, '119s'],
  [2 * minute, '2m'],
  [2 * minute + 1, '2m1s'],
  [3 * minute - 1, '2m59s'],
  [10 * minute - 1, '9m59s'],
  [10 * minute, '10m'],
  [11 * minute - 1, '10m'],
  [3 * hour - 1, '179m'],
  [3 * hour, '3h'],
  [3 * hour + 1, '3h'],
  [4 * hour - 1, '3h59m'],
  [4 * hour, '4h'],
  [4 * hour + minute, '4h1m'],
  [8 * hour - 1, '7h59m'],
  [8 * hour, '8h'],
  [9 * hour, '9h'],
  [2 * day - 1, '47h'],
  [2 * day, '2d'],
  [2 * day + 1, '2d'],
  [2 * day + hour, '2d1h'],
  [8 * day - 1, '7d23h'],
  [8 * day, '8d'],
  [9 * day, '9d'],
  [2 * year - 1, '729d'],
  [2 * year, '2y'],
  [2 * year + day, '2y1d'],
  [3 * year, '3y'],
  [8 * year - 1, '7y364d'],
  [8 * year, '8y'],
  [13 * year, '13y'],
];

describe('durations are printed as kubectl prints them', () => {
  test.each(printed)('%d seconds: %s', (seconds, text) => {
    expect(humanDuration(seconds)).toBe(text);
  });
});

describe('the age of an object', () => {
  const created = '2026-03-01T12:00:00Z';
  const now = Date.parse(created);
  test.each([
    ['has no fractions', 119_900, '119s'],
    ['is nothing yet when the clock is a moment behind', -1_999, '0s'],
    ['is invalid when it is to be created later', -2_000, '<invalid>'],
  ])('%s', (_, later, text) => {
    expect(age(created, now + later)).toBe(text);
  });

  test.each([undefined, 'yesterday'])('is unknown when it was created at %s', (time) => {
    expect(age(time, now)).toBe('<unknown>');
  });

  test('knows fractions and time zones', () => {
    expect(age('2026-03-01T13:58:30.5+02:00', now)).toBe('89s');
  });
});
