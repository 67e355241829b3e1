import * as Flags from '@oclif/core/flags';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { type SnapshotDiff as Diff, snapshotDiff } from '../../output/documents/snapshot-diff.ts';
import { diffFormats } from '../../output/render.ts';
import { notComparedLines } from '../../output/tables/snapshot-diff-markdown.ts';
import { snapshotDiffSummary } from '../../output/tables/snapshot-diff-table.ts';
import {
  allNamespacesFlag,
  listingFlags,
  outputFlag,
  repeatable,
  selectorFlags,
} from '../../shell/flags/flags.ts';
import { namespaceOf, selectorsOf } from '../../shell/input/scope.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { settingsGiven } from '../../shell/settings/open-settings.ts';
import { comparedInputs, comparedPart, openCompared, settingsOf } from './open-compared.ts';

export default class SnapshotDiff extends GcCommand {
  static override summary = 'What changed between two snapshots, and by which rule?';
  static override description = [
    'Shows what came, went, was recreated and changed: a line for each owner, with what happened',
    'below it, and with -o wide a line for each object.',
    'Says by which rule a controller deleted what is gone. Without a second file, the first is',
    'compared with the cluster as it is now.',
  ].join(' ');
  static override usage = '<%= command.id %> FILE [FILE] [--kind TYPE]... [-n NAMESPACE]';
  static override examples = [
    '<%= config.bin %> snapshot diff monday.json.gz tuesday.json.gz',
    '<%= config.bin %> snapshot diff before.json.gz -n shop --exit-code',
    '<%= config.bin %> snapshot diff examples/clusters/shop.json.gz examples/clusters/shop-later.json.gz -n shop',
    '<%= config.bin %> snapshot diff examples/clusters/shop.json.gz examples/clusters/shop-later.json.gz -o markdown',
    '<%= config.bin %> snapshot diff examples/clusters/shop.json.gz examples/clusters/shop-later.json.gz',
  ];
  static override strict = false;
  static override flags = {
    'all-namespaces': allNamespacesFlag,
    ...selectorFlags,
    kind: Flags.string({
      summary: 'only objects of these kinds, as in pods,jobs; may be repeated',
      helpValue: 'TYPE',
      ...repeatable,
    }),
    'exit-code': Flags.boolean({
      summary: 'exit with 1 when something changed, and 3 when not all could be compared',
    }),
    settings: Flags.string({
      helpValue: 'FILE',
      summary: "the controllers' settings, as YAML, where they are not the defaults",
    }),
    ...listingFlags,
    output: outputFlag(diffFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SnapshotDiff);
    const print = this.printer(flags, diffFormats);
    selectorsOf(flags);
    const inputs = comparedInputs(argv as string[], flags.from ?? []);
    const session = this.session(flags);
    const given = await settingsGiven(flags);
    const opened = await openCompared(inputs, flags, session);
    const part = comparedPart(flags, opened);
    const { before, after } = opened;
    const settings = given ?? (await settingsOf(opened, flags, session));
    const diff = snapshotDiff(before, after, part, settings);
    const records = [...before.snapshot.records, ...after.snapshot.records];
    await print(diff, { observedAt: after.snapshot.observedAt, records });
    if (flags.output !== 'markdown') {
      for (const line of [...diff.remarks, ...notComparedLines(diff)]) this.remark(line);
    }
    const { complete } = diff.coverage;
    const namespace = namespaceOf(flags);
    if (diff.items.length === 0) this.remarkNothing('changes', { complete, namespace, records });
    else this.summarize(flags.output, snapshotDiffSummary(diff));
    if (flags['exit-code']) this.endWith(exitCodeOf(diff));
  }
}

/** What was not read may have changed: that is no answer. */
function exitCodeOf({ items, coverage }: Diff): ExitCode {
  if (items.length > 0) return exitCodes.findings;
  return coverage.complete ? exitCodes.ok : exitCodes.failed;
}
