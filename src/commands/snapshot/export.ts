import * as Flags from '@oclif/core/flags';
import { usageError } from '../../errors.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { shellCommand, suggested } from '../../kube/shell-command.ts';
import { booleanFlag } from '../../shell/flags/flag-kinds.ts';
import { openFiles } from '../../shell/input/read-files.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { warnOfGaps } from '../../shell/terminal/streams.ts';
import { exportSnapshots } from './export-snapshots.ts';

export default class SnapshotExport extends GcCommand {
  static override summary = 'How do I ask snapshots in SQL? Tables for DuckDB, Spark and others.';
  static override description = [
    'A folder gets objects.parquet, references.parquet and problems.parquet. Each FILE is a cluster',
    'of its own, named after the file.',
  ].join(' ');
  static override usage = '<%= command.id %> FILE... --to DIR';
  static override examples = [
    '<%= config.bin %> snapshot export cluster.json.gz --to tables/',
    '<%= config.bin %> snapshot export clusters/*.json.gz --to tables/ --force',
    '<%= config.bin %> snapshot export examples/clusters/shop-later.json.gz --to ~/later',
    '<%= config.bin %> snapshot export examples/clusters/*.json.gz --to ~/all',
    '<%= config.bin %> snapshot export examples/clusters/shop.json.gz --to ~/tables',
  ];
  static override strict = false;
  static override flags = {
    to: Flags.string({
      summary: 'the folder for the tables; made if missing',
      helpValue: 'DIR',
      required: true,
    }),
    force: booleanFlag('replace the tables that are in the folder'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SnapshotExport);
    const paths = [...(flags.from ?? []), ...(argv as string[])];
    if (paths.length === 0) {
      throw usageError('You must name a file to export.', [
        suggested(
          'To save what a cluster has',
          shellCommand`kubectl gc snapshot save cluster.json.gz`,
        ),
      ]);
    }
    const { to } = flags;
    const open = async (path: string) => {
      const snapshot = await openFiles(flags, [path]);
      warnOfGaps(snapshot.coverage.problems);
      return snapshot;
    };
    const rows = await exportSnapshots(paths, { folder: to, force: flags.force, open });
    const objects = counted(rows.get('objects') ?? 0, 'object');
    const references = counted(rows.get('references') ?? 0, 'reference');
    this.remark(`Exported ${objects} and ${references} to ${to}.`);
  }
}
