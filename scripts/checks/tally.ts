/** How many tests passed, failed and were skipped. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of those that passed, what failed before: names of tests, or paths of files that could not be loaded. */
  readonly passedAtSecondTry?: readonly string[];
}

/** What is read of the document that vitest's JSON reporter writes. */
export interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    /** The path of the file. */
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

export const noTests: Tally = { passed: 0, failed: 0, skipped: 0 };

/**
 * Counts a run of vitest. A file that could not even be loaded is one failure, and so is a run that
 * failed without a failing test (a broken set-up, an error nobody caught) or left no report.
 */
export function tallyOf(report: VitestReport | undefined, succeeded: boolean): Tally {
  if (!report) return { ...noTests, failed: 1 };
  const unloadable = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = report.numFailedTests + unloadable.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && !succeeded ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

export function add(one: Tally, other: Tally): Tally {
  const late = [...(one.passedAtSecondTry ?? []), ...(other.passedAtSecondTry ?? [])];
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    ...(late.length > 0 && { passedAtSecondTry: late }),
  };
}

/** The files of which something failed. */
export function failedFiles({ testResults }: VitestReport): string[] {
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** The tally of a run whose failed files were run once more, and all passed. */
export function withSecondTry(first: Tally, { testResults }: VitestReport): Tally {
  const late = testResults.flatMap(({ name, status, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length > 0) return tests.map(({ fullName }) => fullName);
    return status === 'failed' ? [name] : [];
  });
  return { ...first, passed: first.passed + first.failed, failed: 0, passedAtSecondTry: late };
}

/** `12 passed, 0 failed`; the skipped ones when there are any, and a line for each that passed at the second try. */
export function summaryOf({ passed, failed, skipped, passedAtSecondTry = [] }: Tally): string {
  const rest = skipped > 0 ? `, ${skipped} skipped` : '';
  const late = passedAtSecondTry.map((name) => `\npassed at the second try only: ${name}`);
  return `${passed} passed, ${failed} failed${rest}${late.join('')}`;
}
