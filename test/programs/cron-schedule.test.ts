import { expect, test } from 'vitest';
import { nextRun } from '../../src/programs/cron-schedule.ts';

// A Saturday.
const now = Date.parse('2026-01-31T12:00:30Z');

test.each([
  ['*/15 * * * *', '2026-01-31T12:15:00Z'],
  ['* * * * *', '2026-01-31T12:01:00Z'],
  ['0 3 * * *', '2026-02-01T03:00:00Z'],
  ['5,35 8-18/2 * * 1-5', '2026-02-02T08:05:00Z'],
  ['0 0 29 2 *', '2028-02-29T00:00:00Z'],
  ['0 0 13 * fri', '2026-02-06T00:00:00Z'],
  ['0 0 1 mar,APR ?', '2026-03-01T00:00:00Z'],
  ['30/10 13 * * *', '2026-01-31T13:30:00Z'],
  ['0 0 * * 7', '2026-02-01T00:00:00Z'],
  ['@hourly', '2026-01-31T13:00:00Z'],
  [' @weekly ', '2026-02-01T00:00:00Z'],
])('the next run of a schedule is known: %s', (schedule, time) => {
  expect(nextRun(schedule, now)).toBe(Date.parse(time));
});

test.each([
  '',
  '@every 1h',
  'CRON_TZ=Asia/Tokyo 0 0 * * *',
  '0 0 31 2 *',
  '60 * * * *',
  '5-1 * * * *',
  '*/0 * * * *',
  '1-2-3 * * * *',
  '0 0 * * * *',
  '0 0 * foo *',
  '-1 * * * *',
  'constructor',
])('a schedule that is none, or never comes, has no next run: %s', (schedule) => {
  expect(nextRun(schedule, now)).toBeUndefined();
});
