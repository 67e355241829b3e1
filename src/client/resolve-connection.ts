import { usageError } from '../errors.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionOptions } from './cluster-client.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { inClusterEntries } from './in-cluster.ts';
import type { KubeconfigUser } from './kubeconfig.ts';
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
  const { cluster, user } = selected;
  const url = serverUrl(cluster.server);
  return {
    server: withoutUserinfo(url),
    namespace: options.namespace || fromKubeconfig.namespace || pod?.namespace || 'default',
    cluster,
    user: url.protocol === 'https:' ? userWithUserinfo(user, url) : undefined,
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
      `the server's address "${url ? withoutUserinfo(url) : server}" is not an http or https address`,
      'Write it as https://host:port in the kubeconfig or in --server.',
    );
  }
  return url;
}

function withoutUserinfo(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

/** The user and password of the server's address, where the entry has no credentials of its own. */
function userWithUserinfo(user: KubeconfigUser, url: URL): KubeconfigUser {
  const hasOwn = user.token || user.tokenFile || user.username || user.exec || user.authProvider;
  if (url.username === '' || hasOwn) return user;
  return {
    ...user,
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}
