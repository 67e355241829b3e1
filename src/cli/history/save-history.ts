import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../../cluster/pacing.ts';
import { errorMessage, exitCodes, GcError, isGcError } from '../../errors.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { humanDuration } from '../../kube/time.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import type { History } from '../flags/history-flags.ts';
import { refuseForeignFile } from '../foreign-file.ts';
import { Session } from '../input/session.ts';
import { openSave } from '../save-snapshot.ts';
import { orInterrupted, withInterruption } from '../terminal/interruption.ts';
import { warnOfGaps, writeErr } from '../terminal/streams.ts';
import { historyFiles, nextHistoryFile } from './history-files.ts';

/**
 * Adds a snapshot to a folder, and with `every` another one each time that so much time has passed, until a
 * signal ends it. A cluster that does not answer once is asked again the next time.
 */
export async function saveHistory(
  { folder, every, keep }: History,
  flags: CommonFlags,
  read: (session: Session) => Promise<Snapshot>,
): Promise<void> {
  await openFolder(folder);
  await withInterruption(async (interruption) => {
    const { signal } = interruption;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const began = performance.now();
      // A connection for each, so that new kinds are seen and new credentials are used.
      const session = new Session(flags);
      try {
        // Only reading is broken off: a file that was begun is finished.
        const snapshot = await orInterrupted(read(session), interruption, 'Nothing was saved.');
        await add(snapshot, folder, keep);
      } catch (error) {
        if (every === undefined) throw error;
        if (signal.aborted) break;
        if (isFirst && isGcError(error) && error.exitCode === exitCodes.usage) throw error;
        const again = `it is tried again in ${humanDuration(every / 1000)}`;
        writeErr(`Warning: nothing was saved: ${errorMessage(error)}; ${again}.`);
      } finally {
        session.close();
      }
      if (every === undefined) return;
      await pause(Math.max(0, every - (performance.now() - began)), signal);
    }
    const { length } = await historyFiles(folder);
    writeErr(`Ended: ${folder} holds ${counted(length, 'snapshot')}.`);
  });
}

async function add(snapshot: Snapshot, folder: string, keep: number | undefined): Promise<void> {
  const path = nextHistoryFile(folder, snapshot.observedAt);
  const save = await openSave(path, false);
  warnOfGaps(snapshot.coverage.problems);
  await save(snapshot);
  const removed = keep === undefined ? 0 : await prune(folder, keep);
  const pruned = removed === 0 ? '' : `, and deleted ${counted(removed, 'old snapshot')}`;
  writeErr(`Saved ${counted(snapshot.records.length, 'object')} to ${path}${pruned}.`);
}

/** Deletes the oldest files of the history; what only has such a name is left as it is. */
async function prune(folder: string, keep: number): Promise<number> {
  const names = await historyFiles(folder);
  let removed = 0;
  for (const name of names.slice(0, Math.max(0, names.length - keep))) {
    const path = join(folder, name);
    try {
      await refuseForeignFile(path, 'Snapshot', '');
      await fs.rm(path, { force: true });
      removed += 1;
    } catch (error) {
      writeErr(`Warning: ${path} was not deleted: ${errorMessage(error)}`);
    }
  }
  return removed;
}

async function openFolder(folder: string): Promise<void> {
  try {
    await fs.mkdir(folder, { recursive: true });
  } catch (cause) {
    const isFile = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw new GcError(
      isFile ? `${folder} is a file` : `cannot make the folder ${folder}: ${errorMessage(cause)}`,
      {
        code: 'cannot-write',
        ...(isFile && { exitCode: exitCodes.usage }),
        cause,
        suggestions: ['Nothing was saved. With --every or --keep, name a folder.'],
      },
    );
  }
}
