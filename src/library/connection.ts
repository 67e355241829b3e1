import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterClient } from '../cluster/connection/cluster-client.ts';

/** How to reach a cluster: as kubectl does, where nothing is said. */
export interface ConnectOptions {
  /**
   * The path of a kubeconfig, or an object that prints one, such as the KubeConfig of
   * `@kubernetes/client-node`. Default: `$KUBECONFIG`, else `~/.kube/config`.
   */
  readonly kubeconfig?: string | { exportConfig(): string };
  /** Default: the current context. */
  readonly context?: string;
}

/** Does something with a connection, and closes it. */
export async function withClient<T>(
  options: ConnectOptions,
  work: (client: ClusterClient) => Promise<T>,
): Promise<T> {
  const client = await openClient(options);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** `connections`: how many are open at a time, at most. */
export async function openClient(
  { kubeconfig, context }: ConnectOptions,
  connections?: number,
): Promise<ClusterClient> {
  const { connect } = await import('../cluster/connection/connect.ts');
  if (typeof kubeconfig !== 'object') return connect({ kubeconfig, context, connections });
  // It is read while the connection is opened, and by this user alone.
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-gc-'));
  try {
    const path = join(folder, 'config');
    await writeFile(path, kubeconfig.exportConfig(), { mode: 0o600 });
    return await connect({ kubeconfig: path, context, connections });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
