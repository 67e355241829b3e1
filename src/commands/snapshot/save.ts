import * as Flags from '@oclif/core/flags';
import { allNamespacesFlag, type CommonFlags } from '../../cli/flags/flags.ts';
import { historyFlags, historyOf } from '../../cli/flags/history-flags.ts';
import { fleetOf } from '../../cli/fleet/fleet.ts';
import { listCluster, openFiles, within } from '../../cli/input/input.ts';
import { namespaceOf } from '../../cli/input/scope.ts';
import type { Session } from '../../cli/input/session.ts';
import { GcCommand } from '../../cli/oclif/gc-command.ts';
import { inNamespace, openSave } from '../../cli/save-snapshot.ts';
import { warnOfGaps } from '../../cli/terminal/streams.ts';
import { usageError } from '../../errors.ts';

export default class SnapshotSave extends GcCommand {
  static override summary =
    'Save what can be read of a cluster in one file, for questions offline.';
  static override description = [
    'Only metadata is kept: never the data of Secrets or ConfigMaps. The whole cluster is',
    'read unless -n is given. A name that ends in .gz or .zst is compressed; - is stdout.',
    'With --context a,b or --context all, a folder gets CONTEXT.json.gz of each cluster.',
  ].join(' ');
  static override usage =
    '<%= command.id %> FILE [-n NAMESPACE] | DIR --every DURATION [--keep COUNT]';
  static override examples = [
    '<%= config.bin %> snapshot save cluster.json.gz',
    '<%= config.bin %> snapshot save shop.json.zst -n shop',
    '<%= config.bin %> snapshot save clusters/ --context all',
    '<%= config.bin %> snapshot save history/ --every 5m --keep 12',
    '<%= config.bin %> snapshot save - | <%= config.bin %> orphans -A --from -',
    '<%= config.bin %> snapshot save - -n shop --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    'all-namespaces': allNamespacesFlag,
    ...historyFlags,
    force: Flags.boolean({
      summary: 'replace FILE even when it does not hold a snapshot',
    }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SnapshotSave);
    const [path, ...more] = argv as string[];
    if (path === undefined || more.length > 0) {
      throw usageError('no-file', 'You must name one file to write to.', 'A - writes to stdout.');
    }
    const namespace = namespaceOf(flags);
    const history = historyOf(path, flags);
    const fleet = await fleetOf(flags);
    if (history) {
      if (fleet) {
        throw usageError(
          'one-cluster',
          '--every and --keep save one cluster, and --context names several',
          'Run it for each of them, each with a folder of its own.',
        );
      }
      this.endTelling();
      const { saveHistory } = await import('../../cli/history/save-history.ts');
      return saveHistory(history, flags, (session) => this.#read(flags, namespace, session));
    }
    if (fleet) {
      const { saveFleet } = await import('../../cli/fleet/save-fleet.ts');
      const read = async (session: Session) =>
        listCluster(await session.cluster(), within(namespace));
      return this.endWith(await saveFleet(path, fleet, flags, read));
    }
    const save = await openSave(path, flags.force);
    const snapshot = await this.#read(flags, namespace, this.session(flags));
    warnOfGaps(snapshot.coverage.problems);
    await save(snapshot);
    const where = path === '-' ? 'stdout' : path;
    const { length } = snapshot.records;
    this.remark(`Saved ${length} ${length === 1 ? 'object' : 'objects'} to ${where}.`);
  }

  async #read(flags: CommonFlags, namespace: string | undefined, session: Session) {
    return flags.from
      ? this.#fromFiles(flags, flags.from, namespace)
      : listCluster(await session.cluster(), within(namespace));
  }

  async #fromFiles(flags: CommonFlags, paths: readonly string[], namespace: string | undefined) {
    const snapshot = await openFiles(flags, paths);
    return namespace === undefined ? snapshot : inNamespace(snapshot, namespace);
  }
}
