import type { Following } from '../../cluster/follow/following.ts';
import { pause } from '../../cluster/pacing.ts';
import { isGcError } from '../../errors.ts';
import { orAborted } from '../../perform/interrupted.ts';
import { withoutRemarks } from '../../shell/terminal/streams.ts';

/** One look at the cluster. */
export interface Look<A> {
  readonly answer: A;
  /** How many changes were seen since the look before, and how many milliseconds ago that was. */
  readonly changes: number;
  readonly since: number;
}

/** Where looks are shown. */
export interface View<A> {
  show(look: Look<A>): Promise<void>;
  /** A look that failed; what was seen before is still the latest. */
  fail(message: string): Promise<void>;
}

/** Milliseconds between looks: the least, and the most. */
const pace = { least: 500, most: 10_000 };
/** A look that takes long is followed by a rest so many times as long. */
const rest = 2;

/** Asks, and asks again whenever something has changed, until the signal ends it. */
export async function lookAgainAndAgain<A>(
  view: View<A>,
  following: Following,
  ask: () => Promise<A>,
  signal: AbortSignal,
): Promise<void> {
  let [seen, shownAt] = [0, performance.now()];
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const [began, changes] = [performance.now(), following.changes];
    try {
      // What is asked when the signal comes ends with the connection.
      const answer = await orAborted(
        isFirst ? ask() : withoutRemarks(ask),
        signal,
        () => undefined,
      );
      if (!answer) return;
      await view.show({ answer, changes: changes - seen, since: began - shownAt });
      [seen, shownAt] = [changes, began];
    } catch (error) {
      if (isFirst || !isGcError(error)) throw error;
      await view.fail(error.message);
    }
    const took = performance.now() - began;
    await pause(Math.max(pace.least - took, took * rest), signal);
    await untilDue(following, changes, began + pace.most, signal);
  }
}

/** Waits for a change, or for the time of the next look. */
async function untilDue(
  following: Following,
  seen: number,
  at: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && following.changes === seen) {
    if (following.failure !== undefined) throw following.failure;
    const left = at - performance.now();
    if (left <= 0) return;
    await following.bell.wait(left, signal);
  }
}

/** With so many changes at a time, what was between two looks is said to be left out. */
const manyChanges = 50;

/** What to say where much was seen between two looks; undefined where each change can be shown. */
export function skippedIn(changes: number, milliseconds: number): string | undefined {
  if (changes < manyChanges) return undefined;
  const seconds = (milliseconds / 1000).toFixed(1);
  return `${changes} changes in ${seconds} s are shown together; what was in between is skipped.`;
}
