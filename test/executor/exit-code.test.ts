import { expect, test } from 'vitest';
import { exitCodeOf } from '../../src/executor/exit-code.ts';

const done = {
  at: '2026-01-03T00:00:00.000Z',
  type: 'done',
  ended: 'gone',
  sent: 2,
  refused: 0,
  skipped: 0,
  gone: 2,
  left: 0,
  differences: 0,
} as const;

test.each([
  [{}, 0, 0],
  [{ ended: 'not-waited' }, 0, 0],
  [{ differences: 1 }, 0, 0],
  [{ skipped: 1 }, 0, 0],
  [{ ended: 'settled', left: 1 }, 0, 4],
  [{ ended: 'timed-out', left: 1 }, 0, 4],
  [{ ended: 'failed', refused: 1 }, 0, 4],
  [{ ended: 'failed', sent: 0, refused: 1 }, 0, 3],
  [{ ended: 'failed', sent: 0, skipped: 1 }, 1, 3],
  [{ ended: 'failed', skipped: 1 }, 1, 4],
  [{ ended: 'interrupted', left: 1 }, 0, 130],
] as const)('%o, %i not sent: %i', (changes, unsent, code) => {
  expect(exitCodeOf({ ...done, ...changes }, unsent)).toBe(code);
});
