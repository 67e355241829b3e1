import { listFormats } from '../questions/render.ts';
import { listingFlags, outputFlag } from '../shell/flags/flags.ts';
import { readBackups } from '../shell/input/read-backups.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';

export default class Backups extends GcCommand {
  static override summary = 'List the backups of deletions';
  static override description = [
    'The same as restore --list. Prints for each backup when it was written, of which cluster, its content, how large it',
    'is, and what is missing.',
  ].join(' ');
  static override usage = '<%= command.id %> [DIR]';
  static override examples = [
    '<%= config.bin %> backups',
    '<%= config.bin %> backups -o wide',
    '<%= config.bin %> backups -o json',
  ];
  static override strict = false;
  static override flags = {
    'no-headers': listingFlags['no-headers'],
    'sort-by': listingFlags['sort-by'],
    output: outputFlag(listFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Backups);
    const print = this.printer(flags, listFormats);
    await print(await readBackups(argv as string[]), { observedAt: new Date().toISOString() });
  }
}
