import { usageError } from '../errors.ts';
import { refuseInvalid } from '../kube/path-segment.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionOptions } from './cluster-client.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { inClusterEntries } from './in-cluster.ts';
import { emptyUser, type KubeconfigUser } from './kubeconfig.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';
import { proxyForServer } from './proxy-for-server.ts';
import { parseRequestTimeout } from './request-timeout.ts';
import { selectEntries, selectInCluster } from './select-entries.ts';
import { validateEntries } from './validate-entries.ts';

/** Weighs flags, kubeconfig, environment and service account as kubectl does. */
export async function resolveConnection(
  options: ConnectionOptions,
  environment: ClientEnvironment,
): Promise<ConnectionSettings> {
  const { config, files } = await loadKubeconfig(options.kubeconfig, environment);
  const fromKubeconfig = selectEntries(config, options, environment);
  const pod = fromKubeconfig.isDefault ? inClusterEntries(environment) : undefined;
  const selected = pod ? selectInCluster(pod, options, environment) : fromKubeconfig;
  validateEntries(selected);
  const namespace = options.namespace || fromKubeconfig.namespace || pod?.namespace || 'default';
  refuseInvalid('namespace', namespace);
  const { cluster, user } = selected;
  const url = serverUrl(cluster.server);
  const userinfo = userinfoOf(url);
  return {
    server: withoutUserinfo(url),
    namespace,
    cluster,
    user: url.protocol === 'https:' ? (userinfo ? certificateOnly(user) : user) : undefined,
    userinfo,
    impersonation: user.impersonation,
    proxy: cluster.proxyUrl ? new URL(cluster.proxyUrl) : proxyForServer(url, environment.env),
    requestTimeout: parseRequestTimeout(options.requestTimeout),
    origin: {
      context: selected.contextName,
      userName: selected.userName,
      missingKubeconfig: selected.isDefault && !options.server ? files : undefined,
    },
  };
}

function serverUrl(server: string): URL {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(server);
  const url = URL.parse(hasScheme ? server : `http://${server}`);
  if (url === null || !/^https?:$/.test(url.protocol) || (!hasScheme && url.pathname !== '/')) {
    throw usageError(
      'invalid-server',
      `the server's address "${server.replace(/\/\/[^@/]*@/, '//')}" is not an http or https address`,
      'Write it as https://host:port in the kubeconfig or in --server.',
    );
  }
  return url;
}

function withoutUserinfo(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

/** As in Go's http client, a user in the address wins over tokens and plugins. */
function userinfoOf({ username, password }: URL): string | undefined {
  if (username === '') return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** What is left of a user beside an Authorization that is set already: its certificate. */
function certificateOnly(user: KubeconfigUser): KubeconfigUser {
  const { clientCertificate, clientCertificateData, clientKey, clientKeyData } = user;
  return { ...emptyUser, clientCertificate, clientCertificateData, clientKey, clientKeyData };
}
