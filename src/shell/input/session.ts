import type { Listeners } from '../../cluster/connection/client-environment.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import type { LoadedKubeconfig } from '../../cluster/connection/kubeconfig.ts';
import type { WatchCache } from '../../cluster/follow/following.ts';
import {
  type CommandPlace,
  type PrintedCommand,
  printedCommand,
  type ShellCommand,
} from '../../command-line/shell-command.ts';
import { GcError, usageError } from '../../errors.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import type { PlanCluster } from '../../perform/perform-options.ts';
import { minorOf } from '../../settings/setting-definition.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { parseGoBool } from '../../syntax/go-syntax.ts';
import { type CommonFlags, commandPlaceOf } from '../flags/flags.ts';
import { provenVersions, remarkOnVersion } from '../proven-versions.ts';
import { writeErr } from '../terminal/streams.ts';

/** A connection, and the kinds that are served there. */
export interface OpenedCluster extends PlanCluster {
  readonly serverVersion: string | undefined;
  readonly isNear?: boolean;
  /** Where the answer is kept up to date: what was read is followed, and not read again. */
  readonly following?: WatchCache | undefined;
}

/**
 * The cluster that one command asks, opened when it is first needed and only once: to connect reads the
 * kubeconfig and may run a plugin that asks the person to log in. With `--from` it is refused, unless the files
 * are compared with a cluster or restored to it, and with `--preview` or a dry run it sends questions alone: whatever a
 * command may send, it sends over this connection.
 */
export class Session {
  readonly #flags: CommonFlags;
  readonly #listeners: Listeners;
  readonly #kubeconfig: LoadedKubeconfig | undefined;
  #isClosed = false;
  #client: Promise<ClusterClient> | undefined;
  #cluster: Promise<OpenedCluster> | undefined;
  #files: Promise<Snapshot> | undefined;
  #following: WatchCache | undefined;
  #watches = false;
  #isBesideFiles = false;
  readonly #warnings = new Set<string>();

  /** `kubeconfig`: where it was read already. */
  constructor(
    flags: CommonFlags,
    listeners: Listeners = { remark: writeErr },
    kubeconfig?: LoadedKubeconfig,
  ) {
    this.#flags = flags;
    this.#listeners = listeners;
    this.#kubeconfig = kubeconfig;
  }

  /** Where the commands are for that an answer suggests. */
  get place(): CommandPlace {
    return commandPlaceOf(this.#flags);
  }

  /** A command to be pasted into a shell: it asks what this call asks. */
  print(command: ShellCommand): PrintedCommand {
    return printedCommand(command, this.place);
  }

  /** The connection, for what needs no discovery; `prefersHttp2`: dozens of lists follow. */
  client(prefersHttp2 = false): Promise<ClusterClient> {
    this.#client ??= this.#connect(prefersHttp2);
    return this.#client;
  }

  /** The connection, and what discovery says of the server: dozens of lists follow. */
  cluster(): Promise<OpenedCluster> {
    this.#cluster ??= this.#discover();
    return this.#cluster;
  }

  /** The cluster beside the files of `--from`, which are compared with it or restored to it. */
  clusterBesideFiles(): Promise<OpenedCluster> {
    this.#isBesideFiles = true;
    return this.cluster();
  }

  /** The content of `--from`, read at its first use: standard input cannot be read twice. */
  files(read: () => Promise<Snapshot>): Promise<Snapshot> {
    this.#files ??= read();
    return this.#files;
  }

  /** The command will watch every kind, and each watch occupies a connection; to be called before the first request. */
  expectWatches(): void {
    this.#watches = true;
  }

  /** From now on, what is read of the cluster is followed; to be called before anything is asked. */
  async follow(report: (line: string) => void): Promise<WatchCache> {
    const { WatchCache } = await import('../../cluster/follow/following.ts');
    this.#following = new WatchCache(report);
    this.expectWatches();
    return this.#following;
  }

  /** `--warnings-as-errors`, in kubectl's words. */
  refuseWarnings(): void {
    const { size } = this.#warnings;
    if (!this.#flags['warnings-as-errors'] || size === 0) return;
    throw new GcError(`${counted(size, 'warning')} received`, {
      code: 'server-warnings',
      suggestions: ['Leave out --warnings-as-errors to accept them.'],
    });
  }

  /** Does not wait for a connection that is still being opened, as a plugin may be asking the person. */
  close(): void {
    this.#isClosed = true;
    this.#following?.stop();
    this.#client?.then(
      (client) => client.close(),
      () => undefined,
    );
  }

  async #connect(prefersHttp2: boolean): Promise<ClusterClient> {
    if (this.#flags.from && !this.#isBesideFiles) throw clusterWithFiles();
    const { connect } = await import('../../cluster/connection/connect.ts');
    const listeners = { ...this.#listeners, warn: (text: string) => this.#warn(text) };
    const options = {
      ...this.#flags,
      prefersHttp2,
      asksOnly: showsOnly(this.#flags),
      ...(this.#watches && { connections: Number.POSITIVE_INFINITY }),
    };
    const client = await connect(options, listeners, this.#kubeconfig);
    if (!this.#isClosed) {
      if (this.#flags['match-server-version']) await requireProvenVersion(client);
      return client;
    }
    client.close();
    throw new Error('the command ended while it connected');
  }

  #warn(text: string): void {
    if (this.#warnings.has(text)) return;
    this.#warnings.add(text);
    writeErr(`Warning: ${text}`);
  }

  async #discover(): Promise<OpenedCluster> {
    const client = await this.client(true);
    const { discover } = await import('../../cluster/list/discover.ts');
    const { place } = this;
    const discovery = await discover(client);
    remarkOnVersion(discovery.serverVersion, this.#listeners.remark);
    return { client, ...discovery, following: this.#following, place };
  }
}

/** The flags by which a command shows or rehearses what it would do, where it has them. */
interface ShowingFlags extends CommonFlags {
  readonly preview?: boolean;
  readonly compare?: boolean;
  readonly 'dry-run'?: string | boolean;
}

function showsOnly({ preview, compare, 'dry-run': dryRun = 'none' }: ShowingFlags): boolean {
  const isReal = dryRun === 'none' || parseGoBool(`${dryRun}`) === false;
  return preview === true || compare === true || !isReal;
}

function clusterWithFiles(): GcError {
  return usageError('--from names files instead of a cluster, and this needs a cluster', [
    'Nothing was contacted. Leave out --from to use the cluster.',
  ]);
}

/** `--match-server-version`: kubectl compares with its own version, which a plugin does not have. */
async function requireProvenVersion(client: ClusterClient): Promise<void> {
  const { readServerVersion } = await import('../../cluster/list/discover.ts');
  const version = await readServerVersion(client);
  if (provenVersions.some((proven) => minorOf(proven) === minorOf(version))) return;
  const proven = provenVersions.join(', ');
  throw new GcError(
    version === undefined
      ? 'the server does not report its version'
      : `the server's version ${version} is not one that was proven to work (${proven})`,
    {
      code: 'server-version',
      suggestions: ['To ask it anyway, leave out --match-server-version.'],
    },
  );
}
