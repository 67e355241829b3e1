/**
 * How many random cases a test plays: all of them in CI, and a third elsewhere, where waiting for them would keep
 * people from running the tests.
 */
export function randomCases(all: number): number {
  return process.env.CI ? all : Math.ceil(all / 3);
}
