import { expect, test } from 'vitest';
import { isLeaseValid, readingTime } from '../../src/controllers/leader-lease.ts';

const renewed = Date.parse('2026-01-03T00:00:00Z');
const renewTime = '2026-01-03T00:00:00.000000Z';

test.each([
  ['at once', { renewTime, leaseDurationSeconds: 15 }, 0, 0, true],
  ['just before its duration is over', { renewTime, leaseDurationSeconds: 15 }, 14_999, 0, true],
  [
    'at its end, as others may lead from then on',
    { renewTime, leaseDurationSeconds: 15 },
    15_000,
    0,
    false,
  ],
  ['by its own duration', { renewTime, leaseDurationSeconds: 60 }, 59_999, 0, true],
  [
    'after its release, which asks for one second',
    { renewTime, leaseDurationSeconds: 1 },
    1_000,
    0,
    false,
  ],
  ['without a duration, by the usual one', { renewTime }, 14_999, 0, true],
  ['with time to read', { renewTime, leaseDurationSeconds: 15 }, 59_999, readingTime, true],
  ['after that', { renewTime, leaseDurationSeconds: 15 }, 60_000, readingTime, false],
  ['never renewed', { leaseDurationSeconds: 15 }, 0, 0, false],
  ['renewed at no time', { renewTime: '', leaseDurationSeconds: 15 }, 0, readingTime, false],
])('a Lease %s', (_, lease, after, allowance, isValid) => {
  expect(isLeaseValid(lease, renewed + after, allowance)).toBe(isValid);
});
