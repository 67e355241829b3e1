import { describe, expect, test } from 'vitest';
import {
  add,
  failedFiles,
  noTests,
  summaryOf,
  tallyOf,
  withSecondTry,
} from '../../scripts/checks/tally.ts';

const report = {
  numPassedTests: 7,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [file('passed', 'passed')],
};

/** A file of `live/x.test.ts` and what became of its tests. */
function file(status: string, ...tests: readonly string[]) {
  const assertionResults = tests.map((ended) => ({
    status: ended,
    fullName: `a test that ${ended}`,
  }));
  return { name: 'live/x.test.ts', status, assertionResults };
}

describe('tallyOf', () => {
  test('counts what passed, failed and was skipped', () => {
    const mixed = { ...report, numFailedTests: 2, numPendingTests: 3, numTodoTests: 1 };
    expect(tallyOf(mixed, false)).toEqual({ passed: 7, failed: 2, skipped: 4 });
  });

  test('counts a file that could not be loaded as a failure', () => {
    const unloadable = file('failed');
    const broken = { ...report, testResults: [...report.testResults, unloadable] };
    expect(tallyOf(broken, false)).toEqual({ passed: 7, failed: 1, skipped: 0 });
  });

  test('counts a file with a failing test only once', () => {
    const failing = file('failed', 'failed');
    const broken = { ...report, numFailedTests: 1, testResults: [failing] };
    expect(tallyOf(broken, false)).toEqual({ passed: 7, failed: 1, skipped: 0 });
  });

  test('does not call a failed run clean for want of a failing test', () => {
    expect(tallyOf(report, false)).toEqual({ passed: 7, failed: 1, skipped: 0 });
    expect(tallyOf(undefined, false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test('does not call a run without a report clean', () => {
    expect(tallyOf(undefined, true)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

describe('summaryOf', () => {
  test('adds up, and mentions skipped tests only when there are some', () => {
    const unit = tallyOf(report, true);
    const live = { passed: 3, failed: 1, skipped: 2 };
    expect(summaryOf(add(noTests, unit))).toBe('7 passed, 0 failed');
    expect(summaryOf(add(unit, live))).toBe('10 passed, 1 failed, 2 skipped');
  });
});

describe('a second try', () => {
  const first = {
    ...report,
    numFailedTests: 1,
    testResults: [
      file('passed', 'passed'),
      { ...file('failed', 'passed', 'failed'), name: 'live/y.test.ts' },
      { ...file('failed'), name: 'live/z.test.ts' },
    ],
  };

  test('is given to the files of which something failed', () => {
    expect(failedFiles(first)).toEqual(['live/y.test.ts', 'live/z.test.ts']);
  });

  test('turns failures into passes, and names each', () => {
    const tally = withSecondTry(tallyOf(first, false), first);
    expect(summaryOf(add({ passed: 1, failed: 0, skipped: 0 }, tally)).split('\n')).toEqual([
      '10 passed, 0 failed',
      'passed at the second try only: a test that failed',
      'passed at the second try only: live/z.test.ts',
    ]);
  });
});
