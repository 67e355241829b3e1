/** What one process of Vitest does with the mutants. */
export interface Job {
  /** Ids of the mutants that no test has detected. */
  readonly living: readonly string[];
  /** Titles of tests that are through with them, or cannot be used. */
  readonly skipped: readonly string[];
  /** Tests after which a mutant may leave something behind: looked after each mutant. */
  readonly fragile: readonly string[];
  /** If given, the only tests to run. */
  readonly only?: readonly string[];
  /** Milliseconds of processor time: a test that takes longer is left for later. */
  readonly limit: number;
  /** Milliseconds for a test without a mutant. */
  readonly longest: number;
  /** The file that notes are added to, one a line. */
  readonly notes: string;
  /** The file that names the mutant of the moment, for one that never ends. */
  readonly beat: string;
}

/** What happened, in the order in which it did. */
export type Note =
  | { readonly test: string; readonly reached: readonly number[] }
  | { readonly killed: readonly string[]; readonly by: string }
  | { readonly done: string; readonly unusable?: string }
  | { readonly late: string; readonly milliseconds: number }
  | { readonly file: string; readonly loaded: readonly number[] }
  | { readonly fragile: string }
  | { readonly stopped: string };

/** Milliseconds that a test gets with a mutant which takes so many without one. */
export function longestTry(milliseconds: number): number {
  return 5000 + 50 * milliseconds;
}
