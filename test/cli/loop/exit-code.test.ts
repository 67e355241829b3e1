import { expect, test } from 'vitest';
import { exitCodeOf } from '../../../src/shell/plan/run-lines.ts';

test.each([
  ['all of it is done', { ended: 'gone', accepted: 2, left: 0 }, 0],
  ['something is left of what was begun', { ended: 'settled', accepted: 1, left: 1 }, 4],
  ['nothing was begun', { ended: 'failed', accepted: 0, left: 1 }, 3],
  ['what was named is not there', { ended: undefined, accepted: 1, left: 0, failed: true }, 3],
  ['Ctrl-C was pressed', { ended: 'interrupted', accepted: 1, left: 1 }, 130],
] as const)('the exit code where %s', (_, ended, code) => {
  expect(exitCodeOf(ended)).toBe(code);
});
