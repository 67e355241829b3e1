import { statSync } from 'node:fs';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { usageError } from '../../errors.ts';
import type { FromFilesOptions } from '../../files/from-files.ts';
import type { Json } from '../../kube/json-value.ts';
import { managerLease } from '../../kube/leader-lease.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { inOrder, type Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { remarkOnVersion } from '../proven-versions.ts';
import { writeErr } from '../terminal/streams.ts';
import { givenTime } from './clock.ts';
import { inSmallHeap } from './in-small-heap.ts';
import type { Session } from './session.ts';

/** The callbacks of a reader of files, besides the records of the objects. */
export type FileListeners = Pick<
  FromFilesOptions,
  'keepsVariants' | 'render' | 'mayBeEmpty' | 'onAside' | 'onObject' | 'onSavedSnapshot'
>;

/** Reads `--from`; nothing is contacted and the Kubernetes client is not loaded. */
export async function openFiles(
  flags: CommonFlags,
  paths: readonly string[],
  listeners: FileListeners = {},
): Promise<Snapshot> {
  const now = givenTime(flags);
  refuseEmptyPaths(paths);
  const ofManager: Json[] = [];
  const onObject = (object: Json, record: ObjectRecord) => {
    if (isOfControllerManager(object, record)) ofManager.push(object);
    listeners.onObject?.(object, record);
  };
  const { fromFiles } = await import('../../files/from-files.ts');
  const read = () =>
    fromFiles(paths, {
      now: () => now ?? new Date(),
      complete: flags.complete ?? false,
      ...listeners,
      onObject,
    });
  const found = inOrder(await (paths.every(isSmallFile) ? read() : inSmallHeap(read)));
  remarkOnVersion(found.serverVersion, writeErr);
  if (!found.evidence?.settings && ofManager.length === 0) return found;
  const { withSettings } = await import('../settings/settings-in-files.ts');
  return withSettings(found, ofManager, now);
}

/** Too small to make many objects of, even where it is compressed. */
function isSmallFile(path: string): boolean {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size < 128 * 1024;
  } catch {
    // Who reads it says why it cannot be read.
    return false;
  }
}

/** The content of `--from`, for all questions of one call. */
export function openFrom(
  flags: CommonFlags,
  paths: readonly string[],
  session: Session,
  listeners: FileListeners = {},
): Promise<Snapshot> {
  return session.files(() => openFiles(flags, paths, listeners));
}

/** The Lease of kube-controller-manager, and pods that name it or the API server, where a cluster is asked for them. */
function isOfControllerManager(
  { spec }: Json,
  { type, namespace, name, labels }: ObjectRecord,
): boolean {
  if (namespace !== managerLease.namespace) return false;
  if (type.kind === 'Lease') return name === managerLease.name;
  if (type.kind !== 'Pod') return false;
  const text = JSON.stringify([labels, spec]);
  return [managerLease.name, 'kube-apiserver'].some((program) => text.includes(program));
}

/** The same for a saved snapshot, which contains more than objects; undefined for other files. */
export async function openSaved(
  flags: CommonFlags,
  paths: readonly string[],
  session: Session,
): Promise<Snapshot | undefined> {
  refuseEmptyPaths(paths);
  const { holdsSavedSnapshot } = await import('../../files/own-document.ts');
  for (const path of paths) {
    if (!(await holdsSavedSnapshot(path, process.stdin))) return undefined;
  }
  return openFrom(flags, paths, session);
}

/** The files that the arguments of a command name, or its --from; `what` is to be done with them. */
export function namedFiles(
  { from = [] }: Pick<CommonFlags, 'from'>,
  args: readonly string[],
  what: string,
): readonly string[] {
  const paths = [...from, ...args];
  if (paths.length > 0) return paths;
  throw usageError(`You must name a file to ${what}.`, [
    suggested('To save what a cluster has', shellCommand`kubectl gc snapshot save cluster.json.gz`),
  ]);
}

export function refuseEmptyPaths(paths: readonly string[]): void {
  if (!paths.includes('')) return;
  throw usageError('a file name is empty: a variable of the shell may not be set', [
    'Name a file, a folder, or - for stdin.',
  ]);
}
