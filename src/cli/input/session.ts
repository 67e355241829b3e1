import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { type CommonFlags, connectionOptions } from '../flags/flags.ts';
import { writeErr } from '../terminal/streams.ts';

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
  #isClosed = false;
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

  /** Does not wait for a connection that is still being opened, as a plugin may be asking the person. */
  close(): void {
    this.#isClosed = true;
    this.#client?.then(
      (client) => client.close(),
      () => undefined,
    );
  }

  async #connect(): Promise<ClusterClient> {
    const { connect } = await import('../../cluster/connection/connect.ts');
    const client = await connect(connectionOptions(this.#flags), writeErr);
    if (!this.#isClosed) return client;
    client.close();
    throw new Error('the command ended while it connected');
  }

  async #discover(): Promise<OpenedCluster> {
    const client = await this.client();
    const { discover } = await import('../../cluster/list/discover.ts');
    return { client, ...(await discover(client)) };
  }
}
