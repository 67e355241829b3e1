import { expect, test } from 'vitest';
import { exitCodeOf } from '../../../src/shell/plan/run-lines.ts';

test.each([
  ['all objects are deleted', { ended: 'gone', accepted: 2, left: 0 }, 0],
  ['accepted deletions remain', { ended: 'settled', accepted: 1, left: 1 }, 4],
  ['nothing was begun', { ended: 'failed', accepted: 0, left: 1 }, 3],
  ['no named object exists', { ended: undefined, accepted: 0, left: 0, failed: true }, 3],
  ['one object is missing', { ended: 'gone', accepted: 1, left: 0, failed: true }, 4],
  ['Ctrl-C was pressed', { ended: 'interrupted', accepted: 1, left: 1 }, 130],
] as const)('the exit code where %s', (_, ended, code) => {
  expect(exitCodeOf(ended)).toBe(code);
});
