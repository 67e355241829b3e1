import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { type CommonFlags, connectionOptions } from '../flags/flags.ts';

/** A connection, and the kinds that are served there. */
export interface OpenedCluster {
  readonly client: ClusterClient;
  readonly types: ResourceTypes;
  readonly serverVersion: string | undefined;
}

/**
 * The cluster that one command asks, opened when it is first needed and only once: to connect reads the
 * kubeconfig and may run a plugin that asks the person to log in. Offline it is never opened, and the
 * Kubernetes client is not loaded.
 */
export class Session {
  readonly #flags: CommonFlags;
  #client: Promise<ClusterClient> | undefined;
  #cluster: Promise<OpenedCluster> | undefined;

  constructor(flags: CommonFlags) {
    this.#flags = flags;
  }

  /** The connection, for what needs no discovery. */
  client(): Promise<ClusterClient> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  /** The connection, and what discovery says of the server. */
  cluster(): Promise<OpenedCluster> {
    this.#cluster ??= this.#discover();
    return this.#cluster;
  }

  /** Also ends a connection that is still being opened, and does not wait for it: a plugin may be asking. */
  close(): void {
    const ignore = () => undefined;
    this.#client?.then((client) => client.close(), ignore);
    this.#client = undefined;
  }

  async #connect(): Promise<ClusterClient> {
    const { connect } = await import('../../cluster/connection/connect.ts');
    return connect(connectionOptions(this.#flags));
  }

  async #discover(): Promise<OpenedCluster> {
    const client = await this.client();
    const { discover } = await import('../../cluster/list/discover.ts');
    const { types, serverVersion } = await discover(client);
    return { client, types, serverVersion };
  }
}
