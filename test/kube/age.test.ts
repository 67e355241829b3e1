import { describe, expect, test } from 'vitest';
import { age, humanDuration, humanDurationUp } from '../../src/kube/time.ts';
import { pairsOf } from '../support/rows.ts';

/** Seconds, and what duration.HumanDuration of apimachinery v0.36.3 prints, at and around its boundaries. */
const printed = pairsOf(`
  -3 <invalid>   -2 <invalid>   -1 0s   0 0s   1 1s   59 59s   119 119s   120 2m   121 2m1s   179 2m59s   599 9m59s
  600 10m   659 10m   10799 179m   10800 3h   10801 3h   14399 3h59m   14400 4h   14460 4h1m   28799 7h59m   28800 8h
  32400 9h   172799 47h   172800 2d   172801 2d   176400 2d1h   691199 7d23h   691200 8d   777600 9d   63071999 729d
  63072000 2y   63158400 2y1d   94608000 3y   252287999 7y364d   252288000 8y   409968000 13y
`);

test.each(printed)('%s seconds are printed as kubectl prints them: %s', (seconds, text) => {
  expect(humanDuration(Number(seconds))).toBe(text);
});

const roundedUp = pairsOf(`
  0 0s   119 119s   121 2m1s   601 11m   660 11m   10801 3h1m   28801 9h   88020 25h   172801 2d1h   691201 9d   63072001 2y1d
  252288001 9y
`);

test.each(roundedUp)('%s seconds end at the latest after %s', (seconds, text) => {
  expect(humanDurationUp(Number(seconds))).toBe(text);
});

describe('the age of an object', () => {
  const created = '2026-03-01T12:00:00Z';
  const now = Date.parse(created);
  test.each([
    ['has no fractions', 119_900, '119s'],
    ['is 0s with a slow clock', -1_999, '0s'],
    ['is invalid, in the future', -2_000, '<invalid>'],
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
