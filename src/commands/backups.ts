import { GcCommand } from '../cli/oclif/gc-command.ts';
import { backupsFlags, limitsOf, pruneBackups } from '../cli/restore/prune-backups.ts';
import { withInterruption } from '../cli/terminal/interruption.ts';
import { backupsReport } from '../output/documents/backups.ts';
import { listFormats } from '../output/render.ts';
import { backupRoot } from '../restore/backup/backup-directory.ts';
import { listBackups } from '../restore/backup/list-backups.ts';

export default class Backups extends GcCommand {
  static override summary = 'List the backups of deletions, and delete old ones.';
  static override description = [
    'Shows for each backup when it was written, of which cluster, what it holds, how large it',
    'is, and what is missing. With --prune it asks, and then deletes those that are too old or',
    'too many.',
  ].join(' ');
  static override usage = '<%= command.id %> [DIR]';
  static override examples = [
    '<%= config.bin %> backups',
    '<%= config.bin %> backups -o json',
    '<%= config.bin %> backups --prune --older-than 720h --keep 20 --yes',
  ];
  static override strict = false;
  static override flags = backupsFlags;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Backups);
    const print = this.printer(flags, listFormats, {
      'show-labels': 'a backup has no labels',
      'label-columns': 'a backup has no labels',
    });
    const limits = limitsOf(argv as string[], flags);
    const root = (argv as string[])[0] ?? backupRoot();
    const found = await listBackups(root);
    const now = new Date();
    const report = backupsReport(root, found, limits, now.getTime());
    await print(report, { observedAt: now.toISOString() });
    if (!flags.prune) return;
    await withInterruption(async (interruption) => {
      this.endWith(await pruneBackups(root, found, report, flags, interruption));
    });
  }
}
