import { type ExitCode, exitCodes } from '../errors.ts';
import type { ProgressEvent } from '../plan/progress-event.ts';

type Done = Extract<ProgressEvent, { type: 'done' }>;

/**
 * What a run exits with: incomplete (4) when deletion started, but not everything planned is gone,
 * whether that was foreseen or not; failed (3) when nothing was deleted because all was refused.
 * `skipped` requests whose object was gone already do not count, see `unsent`.
 */
export function exitCodeOf(done: Done, unsent: number): ExitCode {
  if (done.ended === 'interrupted') return exitCodes.interrupted;
  if (done.refused + unsent > 0) return done.sent > 0 ? exitCodes.incomplete : exitCodes.failed;
  return done.left > 0 || done.ended === 'timed-out' ? exitCodes.incomplete : exitCodes.ok;
}
