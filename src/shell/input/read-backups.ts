import { usageError } from '../../errors.ts';
import { type BackupsReport, backupsReport } from '../../questions/backups/document.ts';
import { backupRoot } from '../../restore/backup/backup-directory.ts';
import { listBackups } from '../../restore/backup/list-backups.ts';

/** The backups in the folder that the arguments name, else where `delete` keeps them. */
export async function readBackups(args: readonly string[]): Promise<BackupsReport> {
  const [given, ...others] = args;
  if (others.length > 0)
    throw usageError(`backups takes one folder, and ${args.length} are named`, [
      'Ask once for each folder.',
    ]);
  const root = given ?? backupRoot();
  return backupsReport(root, await listBackups(root), given === undefined ? 'name' : 'path');
}
