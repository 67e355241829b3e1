import { describe, expect, test } from 'vitest';
import { add, noTests, summaryOf, tallyOf } from '../../scripts/checks/tally.ts';

const report = {
  numPassedTests: 7,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [{ status: 'passed', assertionResults: [{ status: 'passed' }] }],
};

describe('tallyOf', () => {
  test('counts what passed, failed and was skipped', () => {
    const mixed = { ...report, numFailedTests: 2, numPendingTests: 3, numTodoTests: 1 };
    expect(tallyOf(mixed, false)).toEqual({ passed: 7, failed: 2, skipped: 4 });
  });

  test('counts a file that could not be loaded as a failure', () => {
    const unloadable = { status: 'failed', assertionResults: [] };
    const broken = { ...report, testResults: [...report.testResults, unloadable] };
    expect(tallyOf(broken, false)).toEqual({ passed: 7, failed: 1, skipped: 0 });
  });

  test('counts a file with a failing test only once', () => {
    const failing = { status: 'failed', assertionResults: [{ status: 'failed' }] };
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
