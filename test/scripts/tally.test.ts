import { describe, expect, test } from 'vitest';
import { failedFiles, summaryOf, tallyOf, withSecondTry } from '../../scripts/checks/tally.ts';

/** A file of `live/x.test.ts` and what became of its tests. */
function file(status: string, ...tests: readonly string[]) {
  const assertionResults = tests.map((ended) => ({
    status: ended,
    fullName: `a test that ${ended}`,
  }));
  return { name: 'live/x.test.ts', status, assertionResults };
}

const report = {
  ...{ numPassedTests: 7, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 },
  testResults: [file('passed', 'passed')],
};
const one = { numFailedTests: 1 };
const skipped = { numFailedTests: 2, numPendingTests: 3, numTodoTests: 1 };
const loaded = [...report.testResults, file('failed')];

/** What a whole run prints, and what a second try makes of it, stands in test/cli/scripts/run-checks.test.ts. */
describe('a suite is summed up', () => {
  test.each([
    ['that is clean', report, true, '7 passed, 0 failed'],
    ['with skipped tests', { ...report, ...skipped }, false, '7 passed, 2 failed, 4 skipped'],
    ['with an unloadable file', { ...report, testResults: loaded }, false, '7 passed, 1 failed'],
    [
      'with a failing test, once',
      { ...report, ...one, testResults: [file('failed', 'failed')] },
      false,
      '7 passed, 1 failed',
    ],
    ['that failed elsewhere', report, false, '7 passed, 1 failed'],
    ['that failed without report', undefined, false, '0 passed, 1 failed'],
    ['that has no report', undefined, true, '0 passed, 1 failed'],
  ])('%s', (_, given, isClean, summary) => {
    expect(summaryOf(tallyOf(given, isClean))).toBe(summary);
  });
});

test('a second try is given to the files of which something failed, and names each', () => {
  const tested = { ...file('failed', 'passed', 'failed'), name: 'live/y.test.ts' };
  const unloaded = { ...file('failed'), name: 'live/z.test.ts' };
  const first = { ...report, ...one, testResults: [...report.testResults, tested, unloaded] };
  expect(failedFiles(first)).toEqual(['live/y.test.ts', 'live/z.test.ts']);
  expect(summaryOf(withSecondTry(tallyOf(first, false), first)).split('\n')).toEqual([
    '9 passed, 0 failed',
    'passed at the second try only: a test that failed',
    'passed at the second try only: live/z.test.ts',
  ]);
});
