import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { type ExitCode, exitCodes, usageError } from '../../errors.ts';
import type { Format } from '../../questions/render.ts';
import type { Fleet } from '../fleet.ts';
import type { Session } from '../input/session.ts';
import type { CommandAnswer, Printer } from '../oclif/answer.ts';
import { withInterruption } from '../terminal/interruption.ts';
import { canRedraw } from '../terminal/screen.ts';
import type { WatchedReport } from './changes.ts';
import { lookAgainAndAgain } from './look-again.ts';
import { PictureView } from './picture-view.ts';
import { StreamView } from './stream-view.ts';

/** Puts the question once; what was read before is followed, and not read again. */
export type Ask = (session: Session) => Promise<CommandAnswer<WatchedReport>>;

const streamed: ReadonlySet<Format | undefined> = new Set(['json', 'yaml', 'name', undefined]);
const pictures: ReadonlySet<Format | undefined> = new Set(['dot', 'mermaid', 'svg', 'html']);

/** Answers again whenever something has changed, until Ctrl-C, or until the reader of a pipe leaves. */
export async function watchAnswers(
  print: Printer,
  fleet: Fleet | undefined,
  session: Session,
  ask: Ask,
): Promise<ExitCode> {
  refuseWatch(fleet, print.format);
  const { format } = print;
  const view =
    canRedraw() && !streamed.has(format) ? new PictureView(print) : new StreamView(print);
  const following = await session.follow((line) => view.tell(line));
  return withInterruption(async (signal) => {
    try {
      await lookAgainAndAgain(view, following, () => ask(session), signal);
    } finally {
      following.stop();
      await view.close();
    }
    return signal.aborted ? exitCodes.interrupted : exitCodes.ok;
  });
}

function refuseWatch(fleet: Fleet | undefined, format: Format | undefined): void {
  if (fleet) {
    throw usageError('--watch is for one cluster, and --context names several', [
      'Name one context.',
    ]);
  }
  if (pictures.has(format)) {
    throw usageError(`-o ${format} is one picture, and --watch goes on`, [
      format === 'html'
        ? suggested('For a page that follows the cluster', shellCommand`kubectl gc view`)
        : 'Watch it as a table, a tree, JSON or YAML.',
    ]);
  }
}
