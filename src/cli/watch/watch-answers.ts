import type { Following } from '../../cluster/follow/following.ts';
import { pause } from '../../cluster/pacing.ts';
import { type ExitCode, exitCodes, isGcError, usageError } from '../../errors.ts';
import type { WatchedReport } from '../../output/documents/changes.ts';
import type { Format } from '../../output/render.ts';
import type { CommonFlags, WatchFlag } from '../flags/flags.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Session } from '../input/session.ts';
import type { Answer, Printer } from '../oclif/answer.ts';
import { withInterruption } from '../terminal/interruption.ts';
import { withoutDrawing } from '../terminal/progress.ts';
import { canRedraw } from '../terminal/screen.ts';
import { divertErr, readerHasLeft, warnOfGaps } from '../terminal/streams.ts';
import { PictureView } from './picture-view.ts';
import { StreamView } from './stream-view.ts';
import type { View } from './view.ts';

/** Puts the question once; what was read before is followed, and not read again. */
export type Ask = (session: Session) => Promise<Answer<WatchedReport>>;

/** Milliseconds between looks: the least, and the most. */
const pace = { least: 500, most: 10_000 };
/** A look that takes long is followed by a rest so many times as long. */
const rest = 2;

const streamed: ReadonlySet<Format | undefined> = new Set(['json', 'yaml', 'name', undefined]);
const pictures: ReadonlySet<Format | undefined> = new Set(['dot', 'mermaid', 'svg', 'html']);

interface WatchQuestion {
  readonly flags: CommonFlags & WatchFlag & { readonly output: string };
  readonly print: Printer;
}

/** Answers again whenever something has changed, until Ctrl-C, or until the reader of a pipe leaves. */
export async function watchAnswers(
  { flags, print }: WatchQuestion,
  fleet: Fleet | undefined,
  session: Session,
  ask: Ask,
): Promise<ExitCode> {
  refuseWatch(flags, fleet, print.format);
  const { format } = print;
  const view =
    canRedraw() && !streamed.has(format) ? new PictureView(print) : new StreamView(print);
  const following = await session.follow((line) => view.tell(line));
  return withInterruption(async ({ signal }) => {
    try {
      await lookAgainAndAgain(view, following, () => ask(session), signal);
    } finally {
      following.stop();
      await view.close();
    }
    return signal.aborted ? exitCodes.interrupted : exitCodes.ok;
  });
}

async function lookAgainAndAgain(
  view: View,
  following: Following,
  ask: () => Promise<Answer<WatchedReport>>,
  signal: AbortSignal,
): Promise<void> {
  let [seen, shownAt] = [0, performance.now()];
  let showsSpinner = () => {};
  for (let isFirst = true; !signal.aborted && !readerHasLeft(); isFirst = false) {
    const [began, changes] = [performance.now(), following.changes];
    try {
      const look = await orAborted(takeLook(ask, isFirst), signal);
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
  view: View,
  following: Following,
  seen: number,
  at: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && !readerHasLeft() && following.changes === seen) {
    if (following.failure !== undefined) throw following.failure;
    const left = at - performance.now();
    if (left <= 0) return;
    const due = view.redrawDue();
    await following.bell.wait(Math.max(0, Math.min(left, due ?? left)), signal);
    if (view.redrawDue() === 0) await view.redraw();
  }
}

async function takeLook(ask: () => Promise<Answer<WatchedReport>>, isFirst: boolean) {
  const lines: string[] = [];
  // What is said while a spinner turns is shown at once.
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

/** Undefined when the signal came first; what is asked then ends with the connection. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  work.catch(() => undefined);
  if (signal.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const onAbort = () => resolve(undefined);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function refuseWatch(
  { from, now }: CommonFlags,
  fleet: Fleet | undefined,
  format: Format | undefined,
): void {
  if (from) {
    throw usageError('watch-files', '--watch is for a cluster, and --from reads files');
  }
  if (now !== undefined) {
    throw usageError('fixed-clock', '--now stands still, and --watch goes on: use one of them');
  }
  if (fleet) {
    throw usageError('watch-several', '--watch is for one cluster, and --context names several');
  }
  if (pictures.has(format)) {
    throw usageError(
      'watch-picture',
      `-o ${format} is one picture, and --watch goes on`,
      'Watch it as a table, a tree, JSON or YAML.',
    );
  }
}
