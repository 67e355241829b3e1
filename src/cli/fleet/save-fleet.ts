import { existsSync, promises as fs } from 'node:fs';
import { join } from 'node:path';
import { type ExitCode, exitCodes, isGcError, usageError } from '../../errors.ts';
import { makeFolder } from '../../files/write-whole.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { ofCluster } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import type { Session } from '../input/session.ts';
import { openSave } from '../save-snapshot.ts';
import { gapsOf } from '../snapshot/read-evidence.ts';
import { warnOfGaps, writeErr } from '../terminal/streams.ts';
import { askFleet, countOfUnread } from './ask-fleet.ts';
import type { Fleet } from './fleet.ts';

/** A file for each cluster, in one folder, each as soon as its cluster was read. */
export async function saveFleet(
  folder: string,
  fleet: Fleet,
  flags: CommonFlags & { readonly force: boolean },
  read: (session: Session) => Promise<Snapshot>,
): Promise<ExitCode> {
  const paths = pathsOf(fleet, folder);
  await openFolder(folder);
  const ask = async (session: Session, context: string) => {
    const path = paths.get(context) ?? '';
    const save = await openSave(path, flags.force);
    const snapshot = await read(session);
    const { records } = snapshot;
    warnOfGaps(gapsOf(snapshot).map((problem) => ({ ...problem, cluster: context })));
    await save(snapshot).catch((error: unknown) => {
      if (!isGcError(error) || error.exitCode !== exitCodes.interrupted) throw error;
      // The others are not waited for; what they have begun to write goes with the process.
      for (const line of [error.message, ...error.suggestions]) writeErr(ofCluster(context, line));
      process.exit(error.exitCode);
    });
    writeErr(ofCluster(context, `Saved ${counted(records.length, 'object')} to ${path}.`));
  };
  const asked = await askFleet(fleet, flags, ask);
  for (const { context, failure } of asked) {
    if (!failure) continue;
    const path = paths.get(context) ?? '';
    const old = existsSync(path) ? `; ${path} is of an earlier run` : '';
    writeErr(`Warning: ${ofCluster(context, `${failure.message}${old}`)}`);
  }
  for (const line of countOfUnread(asked)) writeErr(line);
  return asked.some(({ failure }) => failure) ? exitCodes.failed : exitCodes.ok;
}

/** By context. What is no letter, digit, `.`, `_`, `@`, `+`, `=` or `-` is escaped as in an address. */
function pathsOf({ members }: Fleet, folder: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { context } of members) {
    const name = `${fileNameOf(context)}.json.gz`;
    // Some file systems do not tell the two apart.
    const same = names.get(name.toLowerCase());
    if (same !== undefined) {
      throw usageError(
        'same-file',
        `the contexts ${same} and ${context} differ only in upper and lower case, and so do their files`,
        'Save them into folders of their own.',
      );
    }
    names.set(name.toLowerCase(), context);
  }
  return new Map(
    members.map(({ context }) => [context, join(folder, `${fileNameOf(context)}.json.gz`)]),
  );
}

/** A leading dot is escaped too, so that no file is hidden and none leaves its folder. */
function fileNameOf(context: string): string {
  return context.replace(/^\.|[^A-Za-z0-9._@+=-]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

async function openFolder(folder: string): Promise<void> {
  const stats = await fs.stat(folder).catch(() => undefined);
  if (folder === '-' || (stats && !stats.isDirectory())) {
    const what = folder === '-' ? 'stdout takes one snapshot' : `${folder} is a file`;
    throw usageError(
      'no-folder',
      `${what}, and --context names several clusters`,
      'Name a folder: it gets a file for each context. One that is not there is made.',
    );
  }
  await makeFolder(folder, ['Nothing was saved. Name a folder that you may write to.']);
}
