import type { ClusterClient } from '../cluster/connection/cluster-client.ts';
import type { LoadedKubeconfig } from '../cluster/connection/kubeconfig.ts';
import { fields, text } from '../syntax/document-part.ts';
import { aFunction, checkOptions } from './arguments.ts';

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

/** Throws a TypeError for an option of another type. */
export function checkConnection(options: ConnectOptions): void {
  const printing = fields({ exportConfig: aFunction });
  const kubeconfig = (value: unknown) =>
    typeof value === 'object' ? printing(value) : text(value);
  checkOptions(options, { kubeconfig, context: text });
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
  const { kubeconfigFromText } = await import('../cluster/connection/kubeconfig.ts');
  const given = await kubeconfigFromText(kubeconfig.exportConfig(), process.cwd());
  return connect({ context, connections }, {}, withTokenFiles(given));
}

/** In a pod, client-node's KubeConfig names the file of the token in its own auth-provider. */
function withTokenFiles(loaded: LoadedKubeconfig): LoadedKubeconfig {
  const users = [...loaded.config.users].map(([name, user]) => {
    const { name: provider, config } = user['auth-provider'] ?? {};
    if (provider !== 'tokenFile') return [name, user] as const;
    const tokenFile = config?.tokenFile ?? '';
    return [name, { ...user, tokenFile, 'auth-provider': undefined }] as const;
  });
  return { ...loaded, config: { ...loaded.config, users: new Map(users) } };
}
