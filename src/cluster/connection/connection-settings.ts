import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { exitCodes, GcError, usageError } from '../../errors.ts';
import { refuseInvalid, trimmedRight } from '../../kube/names.ts';
import { parseGoDuration } from '../../syntax/go-syntax.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionOptions } from './cluster-client.ts';
import {
  hasPem,
  type Impersonation,
  type KubeconfigCluster,
  type KubeconfigUser,
  type LoadedKubeconfig,
  loadKubeconfig,
  type Pem,
} from './kubeconfig.ts';
import { proxyForServer } from './proxy-for-server.ts';
import { podEntries, type SelectedEntries, selectEntries } from './select-entries.ts';

/**
 * Weighs flags, kubeconfig, environment and service account as kubectl does. The kubeconfig is given where it
 * was read already: it may be a pipe.
 */
export async function resolveConnection(
  options: ConnectionOptions,
  environment: ClientEnvironment,
  kubeconfig?: LoadedKubeconfig,
): Promise<ConnectionSettings> {
  const { config, files } = kubeconfig ?? (await loadKubeconfig(options.kubeconfig, environment));
  const fromKubeconfig = selectEntries(config, options, environment);
  const pod = fromKubeconfig.isDefault ? podEntries(options, environment) : undefined;
  const selected = pod ?? fromKubeconfig;
  validateEntries(selected);
  const namespace =
    options.namespace || fromKubeconfig.namespace || selected.namespace || 'default';
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
    impersonation: user,
    proxy: cluster['proxy-url']
      ? new URL(cluster['proxy-url'])
      : proxyForServer(url, environment.env),
    requestTimeout: parseRequestTimeout(options['request-timeout']),
    connections: options.connections,
    prefersHttp2: options.prefersHttp2 ?? false,
    missingKubeconfig: selected.isDefault && !options.server ? files : undefined,
  };
}

function serverUrl(server: string): URL {
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(server);
  const url = URL.parse(hasScheme ? server : `http://${server}`);
  if (url === null || !/^https?:$/.test(url.protocol) || (!hasScheme && url.pathname !== '/')) {
    throw invalidServer(server);
  }
  return url;
}

/** Whatever precedes the last @ may be a password, also where the address cannot be parsed. */
function invalidServer(server: string): GcError {
  const [scheme = ''] = /^[a-z][a-z0-9+.-]*:\/+/i.exec(server) ?? [];
  const at = server.lastIndexOf('@');
  const shown = at < 0 ? server : scheme + server.slice(at + 1);
  return usageError(
    `the server's address "${shown}" is not an http or https address, so no API server can be asked`,
    ['Write it as https://host:port in the kubeconfig or in --server.'],
    'invalid-server',
  );
}

function withoutUserinfo(url: URL): string {
  return `${url.protocol}//${url.host}${trimmedRight(url.pathname, '/')}`;
}

/** As in Go's http client, a user in the address wins over tokens and plugins. */
function userinfoOf({ username, password, href: server }: URL): string | undefined {
  if (username === '') return undefined;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  } catch {
    // A stray % in the user or the password.
    throw invalidServer(server);
  }
}

/** What is left of a user beside an Authorization that is set already: its certificate. */
function certificateOnly(user: KubeconfigUser): KubeconfigUser {
  const none = { token: '', tokenFile: '', username: '', password: '' };
  return { ...user, ...none, exec: undefined, 'auth-provider': undefined };
}

/** A connection after kubeconfig, flags and environment have been weighed. */
export interface ConnectionSettings {
  /** Absolute http or https address, without credentials or trailing slash. */
  readonly server: string;
  readonly namespace: string;
  readonly cluster: KubeconfigCluster;
  /** undefined for http servers, which must never see a credential. */
  readonly user: KubeconfigUser | undefined;
  /** Authorization made of the user and password of the server's address; goes before all else. */
  readonly userinfo: string | undefined;
  readonly impersonation: Impersonation;
  readonly proxy: URL | undefined;
  /** Milliseconds, 0 for none. */
  readonly requestTimeout: number;
  /** At most; a few by default. */
  readonly connections: number | undefined;
  /** As in ConnectionOptions. */
  readonly prefersHttp2: boolean;
  /** The files looked for when nothing named a server; undefined when something did. */
  readonly missingKubeconfig: readonly string[] | undefined;
}

/** Refuses what kubectl refuses; throws one error that names every problem. */
function validateEntries({ cluster, user, clusterName, userName }: SelectedEntries): void {
  const hasCertificate = hasPem(user, 'client-certificate');
  const hasBasic = user.username !== '' || user.password !== '';
  const problems = [
    twice(cluster, 'certificate-authority'),
    hasPem(cluster, 'certificate-authority') &&
      cluster['insecure-skip-tls-verify'] &&
      'a certificate authority and insecure-skip-tls-verify are both set',
    invalidProxy(cluster['proxy-url']),
    hasCertificate && twice(user, 'client-certificate'),
    hasCertificate && twice(user, 'client-key'),
    hasCertificate &&
      !hasPem(user, 'client-key') &&
      'a client certificate is set without its client-key',
    (user.token !== '' || user.tokenFile !== '') &&
      hasBasic &&
      'a token and a username or password are both set, only one is allowed',
    user.exec && user['auth-provider'] && 'exec and auth-provider are both set',
    user.exec &&
      !['Never', 'IfAvailable', 'Always'].includes(user.exec.interactiveMode) &&
      'exec has no interactiveMode that is known',
    user.as === '' &&
      (user['as-uid'] !== '' ||
        user['as-groups'].length > 0 ||
        Object.keys(user['as-user-extra']).length > 0) &&
      'a uid, groups or extras are to be impersonated without a user (--as)',
  ].filter((problem) => typeof problem === 'string');
  if (problems.length === 0) return;
  throw new GcError(
    `the connection (cluster "${clusterName}", user "${userName}") cannot be used: ${problems.join('; ')}`,
    {
      code: 'connection-invalid',
      exitCode: exitCodes.usage,
      suggestions: [
        'Correct the kubeconfig or the connection flags.',
        suggested('To see the effective settings', shellCommand`kubectl config view --minify`),
      ],
    },
  );
}

function invalidProxy(proxyUrl: string): string | false {
  if (proxyUrl === '') return false;
  const protocol = URL.parse(proxyUrl)?.protocol ?? '';
  return (
    !['http:', 'https:', 'socks5:'].includes(protocol) &&
    'proxy-url is not an http, https or socks5 address'
  );
}

function twice<Name extends string>(entry: Pem<Name>, name: Name): string | false {
  const isTwice = entry[name] !== '' && entry[`${name}-data`] !== '';
  return isTwice && `${name} and ${name}-data are both set`;
}

/**
 * Reads kubectl's `--request-timeout`: whole seconds (`30`) or a Go duration (`1m30s`), in
 * milliseconds. 0 means no timeout. Throws a usage error for anything else.
 * @internal
 */
export function parseRequestTimeout(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  if (/^\+?\d+$/.test(text)) return Number(text) * 1000;
  const milliseconds = parseGoDuration(text);
  if (milliseconds === undefined) {
    throw usageError(
      `--request-timeout "${text}" is not a duration: it limits how long an answer may take`,
      ['Write whole seconds or a number with a unit: 30, 30s, 1m30s; 0 waits without limit.'],
      'invalid-request-timeout',
    );
  }
  return Math.max(0, milliseconds);
}
