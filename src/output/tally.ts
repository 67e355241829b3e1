import type { CoverageSummary } from '../snapshot/snapshot.ts';

/** What a count was made from: how much was read, and whether it was all. */
export type Counted = Pick<CoverageSummary, 'complete' | 'kinds' | 'objects'>;

/** That there is none: only a tally that counted everything has it, and nothing else may be called clear. */
export type None = { readonly [provenNone]: true };
const provenNone: unique symbol = Symbol('none');

/**
 * A count that knows whether more may be there. It is made from what was read, so that a zero of what was not read is never a
 * zero.
 */
export class Tally {
  readonly count: number;
  /** Was everything read that is counted? Otherwise `count` is a lower bound. */
  readonly isComplete: boolean;
  /** Was anything read of it? */
  readonly isOfSomething: boolean;

  private constructor(count: number, { complete, kinds, objects }: Counted) {
    this.count = count;
    this.isComplete = complete;
    this.isOfSomething = complete || kinds + objects > 0;
  }

  static of(count: number, counted: Counted): Tally {
    return new Tally(count, counted);
  }

  /** Defined where all was read and there is none. */
  get none(): None | undefined {
    return this.count === 0 && this.isComplete ? { [provenNone]: true } : undefined;
  }
}

/** What is said of a zero: `words` where everything was read, and never more than was read. */
export function noneFound(tally: Tally, words: string): string {
  if (tally.none) return words;
  return tally.isOfSomething
    ? 'none found in what could be read'
    : 'unknown: nothing could be read';
}
