import type { Tally } from './tally.ts';

/** What is said of a zero: `words` where everything was read, and never more than was read. */
export function noneFound(tally: Tally, words: string): string {
  if (tally.none) return words;
  return tally.isOfSomething
    ? 'none found in what could be read'
    : 'unknown: nothing could be read';
}
