import { listFormats } from '../../questions/render.ts';
import { snapshotInfo } from '../../questions/snapshot/info-document.ts';
import { outputFlag } from '../../shell/flags/flags.ts';
import { namedFiles, openFiles } from '../../shell/input/read-files.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { problemWhenSaved } from '../../snapshot/coverage.ts';

export default class SnapshotInfo extends GcCommand {
  static override summary = 'Show the content of a snapshot or any other input';
  static override usage = '<%= command.id %> FILE...';
  static override examples = [
    '<%= config.bin %> snapshot info cluster.json.gz',
    '<%= config.bin %> snapshot info dump/ -o json',
    '<%= config.bin %> snapshot info examples/clusters/shop-later.json.gz',
    '<%= config.bin %> snapshot info examples/clusters/stuck.yaml -o yaml',
    '<%= config.bin %> snapshot info examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = { output: outputFlag(listFormats, 'table') };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SnapshotInfo);
    const print = this.printer(flags, listFormats);
    const paths = namedFiles(flags, argv as string[], 'read');
    const snapshot = await openFiles(flags, paths);
    const { coverage } = snapshot;
    const problems = coverage.problems.map((one) => problemWhenSaved(one, paths.join(', ')));
    await print(snapshotInfo({ ...snapshot, coverage: { ...coverage, problems } }), snapshot);
  }
}
