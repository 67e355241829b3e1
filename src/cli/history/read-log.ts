import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import type { ControllerSettings } from '../../controllers/settings/controller-settings.ts';
import { errorMessage, GcError, isGcError, usageError } from '../../errors.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { refuseInvalidNames } from '../../kube/type-argument.ts';
import { type SnapshotLog, SnapshotLogBuilder } from '../../output/documents/snapshot-log.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { openFiles } from '../input/input.ts';
import { parseArguments } from '../input/scope.ts';
import { writeErr } from '../terminal/streams.ts';
import { historyFiles } from './history-files.ts';

/** One object, and where its history is. */
export interface LoggedObject {
  /** `TYPE/NAME`, or `TYPE` and `NAME`. */
  readonly target: readonly string[];
  readonly paths: readonly string[];
}

/** What a command line names; wrong ones are refused before anything is read. */
export function loggedObject(args: readonly string[], from: readonly string[]): LoggedObject {
  const length = args[0]?.includes('/') ? 1 : 2;
  const target = args.slice(0, length);
  const paths = [...args.slice(length), ...from];
  if (target.length < length || target.join('') === '') {
    throw usageError(
      'no-target',
      'You must name one object: TYPE/NAME or TYPE NAME.',
      'For example: kubectl gc snapshot log deployment/web -n shop history/',
    );
  }
  refuseInvalidNames(target);
  if (paths.length === 0) {
    throw usageError(
      'no-file',
      'You must name the folder of the history, or its files in the order of time.',
      'To make one: kubectl gc snapshot save --every 5m --keep 12 history/',
    );
  }
  return { target, paths };
}

/** Reads one snapshot after the other, and holds one at a time. */
export async function readLog(
  { target, paths }: LoggedObject,
  namespace: string,
  flags: CommonFlags,
  settingsOf: (snapshot: Snapshot) => ControllerSettings,
): Promise<SnapshotLog> {
  const log = new SnapshotLogBuilder(settingsOf);
  const unknown: Error[] = [];
  let isTyped = false;
  for (const file of await filesOf(paths)) {
    const { path } = file;
    const snapshot = await openOne(file, flags);
    if (!snapshot) continue;
    const location = locationIn(snapshot, target, namespace);
    if (location instanceof Error) unknown.push(location);
    else isTyped = true;
    log.add(snapshot, path, location instanceof Error ? unservedIn(snapshot) : location);
  }
  const [first] = unknown;
  if (!isTyped && first) throw first;
  const report = log.report();
  if (report) return report;
  throw new GcError(`no snapshot could be read from ${paths.join(' ')}`, {
    code: 'unreadable-input',
    suggestions: ['Name a folder that "kubectl gc snapshot save --every" wrote, or snapshots.'],
  });
}

interface LoggedFile {
  readonly path: string;
  /** It was found in a folder. */
  readonly isFound: boolean;
}

/** A folder stands for the snapshots in it: those of a history, or else all its files by name. */
async function filesOf(paths: readonly string[]): Promise<LoggedFile[]> {
  const files: LoggedFile[] = [];
  for (const path of paths) {
    const stats = path === '-' ? undefined : await fs.stat(path).catch(() => undefined);
    if (stats?.isDirectory()) {
      const found = await filesIn(path);
      files.push(...found.map((one) => ({ path: one, isFound: true })));
    } else files.push({ path, isFound: false });
  }
  return files;
}

async function filesIn(folder: string): Promise<string[]> {
  const own = await historyFiles(folder);
  if (own.length > 0) return own.map((name) => join(folder, name));
  const { findInputs } = await import('../../files/find-inputs.ts');
  return (await findInputs(folder)).files.map(({ path }) => path);
}

/** One of a folder that cannot be read is left out: what happened is then between those beside it. */
async function openOne({ path, isFound }: LoggedFile, flags: CommonFlags) {
  try {
    return await openFiles(flags, [path]);
  } catch (error) {
    if (!isFound || !isGcError(error) || error.code !== 'unreadable-input') throw error;
    writeErr(`Warning: ${errorMessage(error)}`);
    return undefined;
  }
}

function locationIn(
  { types }: Snapshot,
  args: readonly string[],
  namespace: string,
): ObjectLocation | Error {
  try {
    const { targets } = parseArguments(args, types);
    const [target, other] = targets;
    if (!target || other || target.name === undefined) {
      throw usageError('one-object', `the log is about one object: ${args.join(' ')}`);
    }
    const { type, name } = target;
    return { type, namespace: type.namespaced ? namespace : '', name };
  } catch (error) {
    if (isGcError(error) && error.code === 'unknown-type') return error;
    throw error;
  }
}

/** A kind that a whole list of kinds does not have has no objects. */
function unservedIn({ types }: Snapshot): 'unserved' | undefined {
  return types.exhaustive && types.failed.length === 0 ? 'unserved' : undefined;
}

/** Was the object in any of the snapshots? */
export function refuseUnseen(log: SnapshotLog, { target }: LoggedObject, namespace: string): void {
  if (log.snapshots.some(({ state }) => state === 'present')) return;
  const unread = log.snapshots.filter(({ state }) => state === 'not-read').length;
  const { length } = log.snapshots;
  const name = target.join('/');
  throw new GcError(
    unread > 0
      ? `it is unknown whether ${name} was there: ${unread} of ${length} snapshots do not tell`
      : `${name} is in none of ${length} snapshots`,
    {
      code: unread > 0 ? 'not-read' : 'not-found',
      suggestions: [`Looked in namespace ${namespace}, if its kind is namespaced: choose with -n.`],
    },
  );
}
