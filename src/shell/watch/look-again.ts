import type { WatchCache } from '../../cluster/follow/following.ts';
import { pause } from '../../cluster/pacing.ts';
import { isGcError } from '../../errors.ts';
import { orAborted } from '../../perform/interrupted.ts';
import type { CommandAnswer } from '../oclif/answer.ts';
import { withoutDrawing } from '../terminal/progress.ts';
import { divertErr, readerHasLeft, warnOfGaps } from '../terminal/streams.ts';
import type { WatchedReport } from './changes.ts';

export interface WatchedAnswer {
  readonly answer: CommandAnswer<WatchedReport>;
  /** What there is to say of it: gaps, remarks, sums. */
  readonly lines: readonly string[];
  /** How many changes were seen since the look before, and how many milliseconds ago that was. */
  readonly changes: number;
  readonly since: number;
}

export interface WatchView {
  show(look: WatchedAnswer): Promise<void>;
  /** A look that failed; what was seen before is still the latest. */
  fail(message: string): Promise<void>;
  /** A watch that broke, or goes on. */
  tell(line: string): void;
  /** Milliseconds until something has to be drawn again without a look; undefined: not by itself. */
  redrawDue?(): number | undefined;
  redraw?(): Promise<void>;
  /** Ends it; the last picture stays. */
  close(): Promise<void>;
}

/** Milliseconds between looks: the least, and the most. */
const pace = { least: 500, most: 10_000 };
/** A look that takes long is followed by a rest so many times as long. */
const rest = 2;

/** Asks, and asks again whenever something has changed, until the signal or the reader of stdout ends it. */
export async function lookAgainAndAgain(
  view: WatchView,
  following: WatchCache,
  ask: () => Promise<CommandAnswer<WatchedReport>>,
  signal: AbortSignal,
): Promise<void> {
  let [seen, shownAt] = [0, performance.now()];
  let showsSpinner = () => {};
  for (let isFirst = true; !signal.aborted && !readerHasLeft(); isFirst = false) {
    const [began, changes] = [performance.now(), following.changes];
    try {
      // What is asked when the signal comes ends with the connection.
      const look = await orAborted(takeLook(ask, isFirst), signal, () => undefined);
      if (!look) return;
      await view.show({ ...look, changes: changes - seen, since: began - shownAt });
      [seen, shownAt] = [changes, began];
    } catch (error) {
      if (isFirst || !isGcError(error)) throw error;
      await view.fail(error.message);
    }
    if (isFirst) showsSpinner = withoutDrawing();
    const took = performance.now() - began;
    await pause(Math.max(pace.least - took, took * rest), signal);
    await untilDue(view, following, changes, began + pace.most, signal);
  }
  showsSpinner();
}

/** Waits for a change or for the time of the next look, and draws meanwhile what the clock changes. */
async function untilDue(
  view: WatchView,
  following: WatchCache,
  seen: number,
  at: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && !readerHasLeft() && following.changes === seen) {
    if (following.failure !== undefined) throw following.failure;
    const left = at - performance.now();
    if (left <= 0) return;
    const due = view.redrawDue?.();
    await following.bell.wait(Math.max(0, Math.min(left, due ?? left)), signal);
    if (view.redrawDue?.() === 0) await view.redraw?.();
  }
}

async function takeLook(ask: () => Promise<CommandAnswer<WatchedReport>>, isFirst: boolean) {
  const lines: string[] = [];
  // Messages during the spinner are shown immediately.
  if (!isFirst) divertErr((line) => lines.push(line));
  try {
    const answer = await ask();
    divertErr((line) => lines.push(line));
    warnOfGaps(answer.report.coverage.problems);
    return { answer, lines: [...lines, ...answer.remarks] };
  } finally {
    divertErr(undefined);
  }
}

/** How long it is shown that a watch broke or goes on, in milliseconds. */
export const changesShownFor = 30_000;

/** With so many changes at a time, what was between two looks is said to be left out. */
const manyChanges = 50;

/** What to say where much was seen between two looks; undefined where each change can be shown. */
export function skippedIn(changes: number, milliseconds: number): string | undefined {
  if (changes < manyChanges) return undefined;
  const seconds = (milliseconds / 1000).toFixed(1);
  return `${changes} changes in ${seconds} s are shown together; what was in between is skipped.`;
}
