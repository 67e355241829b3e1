import { promises as fs } from 'node:fs';
import { isOpen, mayGo } from '../../deletion/plan/going.ts';
import type { Plan } from '../../deletion/plan/plan.ts';
import { GcError } from '../../errors.ts';
import { operands, shellCommand } from '../../kube/shell-command.ts';
import type { DeleteFlags } from '../delete/delete-options.ts';
import type { OpenedCluster } from '../input/session.ts';
import { type Interruption, interrupted } from '../terminal/interruption.ts';
import { startProgress } from '../terminal/progress.ts';
import { writeErr } from '../terminal/streams.ts';

/** A backup that was written, and how to take it back when nothing is deleted after all. */
export interface KeptBackup {
  readonly directory: string;
  /** Says where it is and how it is brought back, once it is known to stay. */
  announce(): void;
  discard(): Promise<void>;
}

/**
 * Saves what a plan lets go, when asked to, or when more than one object can go. What cannot be
 * saved is not deleted.
 */
export async function keepBackup(
  plan: Plan,
  { client, types }: OpenedCluster,
  flags: DeleteFlags,
  interruption: Interruption,
): Promise<KeptBackup | undefined> {
  const going = plan.objects.filter(mayGo);
  if (flags['no-backup'] || going.length === 0) return undefined;
  if (flags.backup === undefined && going.length < 2 && !isOpen(plan)) return undefined;
  const { writeBackup } = await import('../../restore/backup/write-backup.ts');
  const directory = flags.backup ?? (await defaultDirectory(plan));
  const progress = startProgress('Writing a backup');
  try {
    const written = await writeBackup(plan, client, types, {
      directory,
      signal: interruption.signal,
      onProgress: ({ done, total }) =>
        progress.update(`Writing a backup: ${done} of ${total} objects`),
    });
    if (written.problems.length > 0) {
      await fs.rm(directory, { recursive: true });
      throw incomplete(written.problems.map(({ message }) => message));
    }
    progress.stop();
    const announce = () => {
      writeErr(`Backup of ${count(written.objects)}: ${directory}`);
      const restore = shellCommand`kubectl gc restore ${operands(directory)}`;
      writeErr(`To bring back what was deleted: ${restore}`);
    };
    return { directory, announce, discard: () => fs.rm(directory, { recursive: true }) };
  } catch (error) {
    if (!(error instanceof GcError && error.code === 'interrupted')) throw error;
    await fs.rm(directory, { recursive: true, force: true });
    throw interrupted();
  } finally {
    progress.stop();
  }
}

async function defaultDirectory({ requests }: Plan): Promise<string> {
  const { defaultBackupDirectory } = await import('../../restore/backup/backup-directory.ts');
  // From the leaves up, what was named comes last.
  const last = Math.max(...requests.map(({ wave }) => wave));
  const named = requests.filter(({ wave }) => wave === last);
  return defaultBackupDirectory(new Date(), named);
}

function incomplete(messages: readonly string[]): GcError {
  const what = count(messages.length);
  return new GcError(`${what} could not be saved to the backup; nothing was sent`, {
    code: 'incomplete-backup',
    suggestions: [...messages.slice(0, 5), 'To delete without a backup: --no-backup.'],
  });
}

function count(objects: number): string {
  return objects === 1 ? '1 object' : `${objects} objects`;
}
