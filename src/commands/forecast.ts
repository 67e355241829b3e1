import * as Flags from '@oclif/core/flags';
import { timeOf } from '../cli/clock.ts';
import { findCollectorSettings } from '../cli/collector-settings.ts';
import { allNamespacesFlag, outputFlag, selectorFlags } from '../cli/flags.ts';
import { GcCommand } from '../cli/gc-command.ts';
import { openKinds } from '../cli/open-kinds.ts';
import { openWholeCluster } from '../cli/open-whole-cluster.ts';
import { selectorsOf } from '../cli/selectors.ts';
import { viewOf } from '../collectors/cluster-view.ts';
import { collectors } from '../collectors/index.ts';
import { rememberedBy } from '../collectors/remembered.ts';
import { usageError } from '../errors.ts';
import { parseGoDuration } from '../kubelet/go-duration.ts';
import { listFormats } from '../reporters/render.ts';
import { forecastReport } from '../reports/forecast.ts';

const owners = 'garbage-collector';

export default class Forecast extends GcCommand {
  static override summary = 'Tell what every collector will delete, when and why.';
  static override description = [
    'In the order of time. Each object is looked at once, as it is now: what follows from a',
    'deletion is not in it. Where only a controller knows, the time is a range.',
  ].join(' ');
  static override usage = 'forecast [--within DURATION] [--collector ID]... [-n NAMESPACE]';
  static override examples = [
    '<%= config.bin %> forecast --within 24h',
    '<%= config.bin %> forecast --collector csr-cleaner --collector apiserver-lease',
    '<%= config.bin %> forecast -n shop --from cluster.json.gz -o json',
  ];
  static override strict = false;
  static override flags = {
    'all-namespaces': allNamespacesFlag,
    ...selectorFlags,
    within: Flags.string({ summary: 'only what begins within this time, as in 24h or 30m' }),
    collector: Flags.string({
      summary: 'only this collector; may be repeated',
      helpValue: 'ID',
      multiple: true,
      multipleNonGreedy: true,
    }),
    settings: Flags.string({ summary: 'what runs in the cluster, as YAML' }),
    output: outputFlag(listFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Forecast);
    if (argv.length > 0) {
      throw usageError(
        'unexpected-argument',
        `forecast takes no arguments: ${argv.join(' ')}`,
        'Narrow what is shown with -n, -l and --collector.',
      );
    }
    const print = this.printer(flags, listFormats);
    const matches = selectorsOf(flags);
    const within = withinOf(flags.within);
    const wanted = wantedCollectors(flags.collector);
    const { settings } = await findCollectorSettings(flags);
    const reads = [
      ...wanted.collectors.flatMap(({ reads }) => reads),
      'leases.coordination.k8s.io',
    ];
    const snapshot = wanted.owners ? await openWholeCluster(flags) : await openKinds(flags, reads);
    const now = timeOf(flags)?.getTime() ?? Date.parse(snapshot.observedAt);
    if (now < Date.parse(snapshot.observedAt) && flags.from === undefined) {
      this.remark(
        '--now is before the cluster was read: what happened since then counts all the same.',
      );
    }
    const namespace = flags['all-namespaces'] ? undefined : flags.namespace;
    const report = forecastReport(snapshot, {
      ...wanted,
      now,
      settings,
      memory: rememberedBy(viewOf(snapshot), now),
      scope: (record) =>
        (namespace === undefined || record.namespace === namespace) && matches(record),
      ...(within !== undefined && { within }),
    });
    await print(report, snapshot);
    for (const { id, unread } of report.collectors) {
      if (unread.length > 0) this.remark(`${id} also decides by ${unread.join(', ')}, not read.`);
    }
    const off = report.collectors.filter(({ enabled }) => !enabled).map(({ id }) => id);
    if (off.length > 0) this.remark(`Switched off: ${off.join(', ')}.`);
    if (report.items.length === 0) this.remarkNothing('deletions', report.coverage);
    else this.remark('Each object was looked at once: what follows from a deletion is not in it.');
  }
}

function wantedCollectors(ids: readonly string[] | undefined) {
  if (ids === undefined) return { collectors, owners: true };
  const known = [owners, ...collectors.map(({ id }) => id)];
  for (const id of ids) {
    if (known.includes(id)) continue;
    throw usageError(
      'unknown-collector',
      `--collector "${id}" is not a collector`,
      `Collectors are: ${known.join(', ')}.`,
    );
  }
  return {
    collectors: collectors.filter(({ id }) => ids.includes(id)),
    owners: ids.includes(owners),
  };
}

function withinOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const within = parseGoDuration(text);
  if (within !== undefined && within >= 0) return within;
  throw usageError(
    'invalid-duration',
    `--within "${text}" is not a duration`,
    'Write it as in 24h, 90m or 30s.',
  );
}
