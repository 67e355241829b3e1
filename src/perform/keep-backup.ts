import { promises as fs } from 'node:fs';
import { operands, shellCommand } from '../command-line/shell-command.ts';
import type { Plan, Planned } from '../deletion/plan/plan.ts';
import { disappearingIn, mayDeleteMore } from '../deletion/plan/plan-totals.ts';
import { GcError, isGcError } from '../errors.ts';
import { counted, kindsInWords } from '../kube/counts-by-kind.ts';
import { defaultBackupDirectory } from '../restore/backup/backup-directory.ts';
import { type Encrypt, keyArguments } from '../restore/backup/encryption.ts';
import type { WrittenBackup } from '../restore/backup/write-backup.ts';
import { fewestFlags } from '../restore/plan/not-restored.ts';
import { interrupted } from './interrupted.ts';
import type { BackupWish, PlanCluster, RunReporter } from './perform-options.ts';

/** A backup that was written, and how to take it back when nothing is deleted after all. */
interface KeptBackup {
  /** The resourceVersion of each object that is saved, by uid. */
  readonly versions: ReadonlyMap<string, string | undefined>;
  /** Saves what has changed or appeared since; answers the version of each object that is saved. */
  update(now: Pick<Planned, 'plan' | 'snapshot'>): Promise<ReadonlyMap<string, string | undefined>>;
  /** Says where it is and how it is brought back, once it is known to stay. */
  announce(): void;
  discard(): Promise<void>;
}

/** Should the deleted objects of a plan be saved? */
export function keepsBackup(plan: Plan, { of }: BackupWish): boolean {
  const going = disappearingIn(plan);
  if (of === 'none' || going.length === 0) return false;
  return of === 'all' || going.length > 1 || mayDeleteMore(plan);
}

/** Saves the deleted objects of a plan. An object that cannot be saved is not deleted. */
export async function keepBackup(
  plan: Plan,
  { client, types }: PlanCluster,
  to: { readonly directory: string | undefined; readonly encrypt: Encrypt | undefined },
  { report }: RunReporter,
  signal: AbortSignal,
): Promise<KeptBackup> {
  const { encrypt } = to;
  const directory = to.directory ?? defaultBackupDirectory(new Date(), plan.requests);
  void report({ doing: 'Writing a backup' });
  // This module loads the YAML writer: the deletion of a single object saves nothing, and need not load it.
  const { writeBackup } = await import('../restore/backup/write-backup.ts');
  const writing = writeBackup(plan, client, types, {
    directory,
    encrypt,
    signal,
    onProgress: ({ done, total }) =>
      void report({ doing: `Writing a backup: ${done} of ${total} objects` }),
  });
  const discard = () => fs.rm(directory, { recursive: true, force: true });
  const whole = async (saving: Promise<WrittenBackup>) => {
    const written = await saving
      .catch((error) => {
        throw isGcError(error) && error.code === 'interrupted' ? interrupted() : error;
      })
      .finally(() => report({ doing: undefined }));
    if (written.problems.length === 0) return written;
    await discard();
    throw incomplete(written.problems.map(({ message }) => message));
  };
  let saved = await whole(writing);
  const update: KeptBackup['update'] = async (now) => {
    const changed = changedSince(saved.versions, now);
    const isNew = now.plan.objects.some(({ uid }) => uid !== '' && !saved.versions.has(uid));
    if (isNew || changed.size > 0) saved = await whole(saved.update(now.plan, changed));
    return saved.versions;
  };
  return {
    get versions() {
      return saved.versions;
    },
    update,
    announce: () => announce(saved, directory, encrypt, report),
    discard,
  };
}

/** Reports where a backup is, what is missing in it, and how its objects are restored. */
function announce(
  { objects, unread, returning }: WrittenBackup,
  directory: string,
  encrypt: Encrypt | undefined,
  report: RunReporter['report'],
): void {
  const what = encrypt ? 'Encrypted backup' : 'Backup';
  const line = `${what} of ${counted(objects, 'object')}: ${directory}`;
  void report({ line, endsWithPath: true });
  const holes = unread.map(({ resource, apiVersion }) => resource ?? apiVersion);
  if (holes.length > 0) {
    const kinds = kindsInWords([...new Set(holes.map(String))]);
    void report({
      line: `Warning: it is incomplete: ${kinds} could not be read, and those that are deleted are not in it`,
    });
  }
  if (returning.size === 0) {
    void report({ line: 'A restore creates none of it again: what made it does, or nothing can.' });
    return;
  }
  const key = keyArguments(encrypt);
  const flags = fewestFlags(returning.values());
  const command = shellCommand`kubectl gc restore ${key} ${flags} ${operands(directory)}`;
  void report({ what: 'To bring back what was deleted', command });
}

/** Does a backup contain each object of a plan as it was planned? */
export function isSavedAsPlanned(
  { versions }: Pick<KeptBackup, 'versions'>,
  { plan, snapshot }: Pick<Planned, 'plan' | 'snapshot'>,
): boolean {
  const planned = new Map(snapshot.records.map((record) => [record.uid, record.resourceVersion]));
  return plan.objects.every(({ uid }) => {
    const version = planned.get(uid);
    return version !== undefined && versions.get(uid) === version;
  });
}

/** What is not saved as it was last seen: it was written to since. */
function changedSince(
  versions: ReadonlyMap<string, string | undefined>,
  { snapshot }: Pick<Planned, 'snapshot'>,
): ReadonlySet<string> {
  const changed = snapshot.records.filter(
    ({ uid, resourceVersion }) =>
      resourceVersion !== undefined && versions.has(uid) && versions.get(uid) !== resourceVersion,
  );
  return new Set(changed.map(({ uid }) => uid));
}

function incomplete(messages: readonly string[]): GcError {
  const what = counted(messages.length, 'object');
  return new GcError(`${what} could not be saved to the backup; nothing was sent`, {
    code: 'incomplete-backup',
    suggestions: [...messages.slice(0, 5), 'To delete without a backup: --no-backup.'],
  });
}
