import * as Flags from '@oclif/core/flags';
import { outputFlag } from '../../cli/flags/flags.ts';
import { loggedObject, readLog, refuseUnseen } from '../../cli/history/read-log.ts';
import { oneNamespaceInFiles } from '../../cli/input/scope.ts';
import { GcCommand } from '../../cli/oclif/gc-command.ts';
import { savedControllerSettings, settingsGiven } from '../../cli/settings/open-settings.ts';
import { documentFormats } from '../../output/render.ts';
import { snapshotLogSummary } from '../../output/tables/snapshot-log-table.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

export default class SnapshotLog extends GcCommand {
  static override summary = 'Show the life of one object, as a history of snapshots has it.';
  static override description = [
    'When it came, changed its owners or finalizers, began to be deleted, went, and came back under',
    'another uid: each between the two snapshots that show it, and by which rule.',
  ].join(' ');
  static override usage = '<%= command.id %> TYPE/NAME DIR|FILE... [-n NAMESPACE]';
  static override examples = [
    '<%= config.bin %> snapshot log deployment/web -n shop history/',
    '<%= config.bin %> snapshot log deployment web -n shop monday.json.gz tuesday.json.gz',
    '<%= config.bin %> snapshot log cronjob/abandoned-carts -n shop examples/clusters/shop.json.gz examples/clusters/shop-later.json.gz',
  ];
  static override strict = false;
  static override flags = {
    settings: Flags.string({
      helpValue: 'FILE',
      summary: "the controllers' settings, as YAML, where they are not the defaults",
    }),
    output: outputFlag(documentFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SnapshotLog);
    const print = this.printer(flags, documentFormats);
    const asked = loggedObject(argv as string[], flags.from ?? []);
    const namespace = await oneNamespaceInFiles(flags);
    const given = await settingsGiven(flags);
    const settingsOf = (snapshot: Snapshot) => given ?? savedControllerSettings(snapshot).settings;
    const log = await readLog(asked, namespace, flags, settingsOf);
    refuseUnseen(log, asked, namespace);
    await print(log, { observedAt: log.snapshots.at(-1)?.observedAt ?? '' });
    this.summarize(flags.output, snapshotLogSummary(log));
  }
}
