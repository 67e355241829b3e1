/** Milliseconds from the arrival of a request: the API server waits for a second. */
const plays = 150;
const counts = 500;

/** Thrown in a play when the time for an answer is over. */
export class PlayTimeOver extends Error {}

/**
 * How long an answer may take. A deletion is played until a part of that time is over, and counted in the next. A request
 * may have waited unread for as long as the play before it took, so the parts are far from a second.
 */
export class AnswerTime {
  readonly #arrived: number;

  /** `arrived`: milliseconds of `performance`. */
  constructor(arrived: number) {
    this.#arrived = arrived;
  }

  get mayPlay(): boolean {
    return performance.now() < this.#arrived + plays;
  }

  get mayCount(): boolean {
    return performance.now() < this.#arrived + counts;
  }

  /** Throws once there is no time left to play. */
  readonly checkPlay = (): void => {
    if (!this.mayPlay) throw new PlayTimeOver();
  };
}
