import { promises as fs } from 'node:fs';
import { isOpen, mayGo } from '../deletion/plan/going.ts';
import type { Plan } from '../deletion/plan/plan.ts';
import { GcError, isGcError } from '../errors.ts';
import { counted, kindsInWords } from '../kube/counts-by-kind.ts';
import { operands, shellCommand } from '../kube/shell-command.ts';
import { defaultBackupDirectory } from '../restore/backup/backup-directory.ts';
import { type Encrypt, keyArguments } from '../restore/backup/encryption.ts';
import { interrupted } from './interrupted.ts';
import type { BackupWish, PlanCluster, Talk } from './manner.ts';

/** A backup that was written, and how to take it back when nothing is deleted after all. */
interface KeptBackup {
  /** Says where it is and how it is brought back, once it is known to stay. */
  announce(): void;
  discard(): Promise<void>;
}

/** Is what a plan lets go to be saved? */
export function keepsBackup(plan: Plan, { of }: BackupWish): boolean {
  const going = plan.objects.filter(mayGo);
  if (of === 'none' || going.length === 0) return false;
  return of === 'all' || going.length > 1 || isOpen(plan);
}

/** Saves what a plan lets go. What cannot be saved is not deleted. */
export async function keepBackup(
  plan: Plan,
  { client, types }: PlanCluster,
  to: { readonly directory: string | undefined; readonly encrypt: Encrypt | undefined },
  { tell }: Talk,
  signal: AbortSignal,
): Promise<KeptBackup> {
  const { encrypt } = to;
  const directory = to.directory ?? defaultBackupDirectory(new Date(), plan.requests);
  void tell({ doing: 'Writing a backup' });
  // With it comes what writes YAML: what goes alone is not saved, and its deletion need not load that.
  const { writeBackup } = await import('../restore/backup/write-backup.ts');
  const { objects, problems, returning, unread } = await writeBackup(plan, client, types, {
    directory,
    encrypt,
    signal,
    onProgress: ({ done, total }) =>
      void tell({ doing: `Writing a backup: ${done} of ${total} objects` }),
  })
    .catch((error) => {
      throw isGcError(error) && error.code === 'interrupted' ? interrupted() : error;
    })
    .finally(() => tell({ doing: undefined }));
  const discard = () => fs.rm(directory, { recursive: true });
  if (problems.length > 0) {
    await discard();
    throw incomplete(problems.map(({ message }) => message));
  }
  const announce = () => {
    const what = encrypt ? 'Encrypted backup' : 'Backup';
    void tell({ line: `${what} of ${counted(objects, 'object')}: ${directory}` });
    const holes = unread.map(({ resource, apiVersion }) => resource ?? apiVersion);
    if (holes.length > 0) {
      const kinds = kindsInWords([...new Set(holes.map(String))]);
      void tell({
        line: `Warning: it is incomplete: ${kinds} could not be read, and those that are deleted are not in it`,
      });
    }
    if (returning.size === 0) {
      void tell({ line: 'A restore creates none of it again: what made it does, or nothing can.' });
      return;
    }
    const key = keyArguments(encrypt);
    const command = shellCommand`kubectl gc restore ${key} ${operands(directory)}`;
    void tell({ what: 'To bring back what was deleted', command });
  };
  return { announce, discard };
}

function incomplete(messages: readonly string[]): GcError {
  const what = counted(messages.length, 'object');
  return new GcError(`${what} could not be saved to the backup; nothing was sent`, {
    code: 'incomplete-backup',
    suggestions: [...messages.slice(0, 5), 'To delete without a backup: --no-backup.'],
  });
}
