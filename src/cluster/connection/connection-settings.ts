import { accessSync, constants } from 'node:fs';
import { exitCodes, GcError, usageError } from '../../errors.ts';
import { parseGoDuration } from '../../kube/go-syntax.ts';
import { refuseInvalid } from '../../kube/path-segment.ts';
import { shellCommand, suggested } from '../../kube/shell-command.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionOptions } from './cluster-client.ts';
import {
  type ExecPlugin,
  emptyUser,
  type Impersonation,
  type KubeconfigCluster,
  type KubeconfigUser,
  type LoadedKubeconfig,
  loadKubeconfig,
} from './kubeconfig.ts';
import { proxyForServer } from './proxy-for-server.ts';
import {
  inClusterEntries,
  type SelectedEntries,
  selectEntries,
  selectInCluster,
} from './select-entries.ts';

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
  const pod = fromKubeconfig.isDefault ? inClusterEntries(environment) : undefined;
  const selected = pod ? selectInCluster(pod, options, environment) : fromKubeconfig;
  validateEntries(selected);
  const namespace = options.namespace || fromKubeconfig.namespace || pod?.namespace || 'default';
  refuseInvalid('namespace', namespace);
  const { cluster, user } = selected;
  const { as, asUid, asGroups, asUserExtra } = user;
  const url = serverUrl(cluster.server);
  const userinfo = userinfoOf(url);
  return {
    server: withoutUserinfo(url),
    namespace,
    cluster,
    user: url.protocol === 'https:' ? (userinfo ? certificateOnly(user) : user) : undefined,
    userinfo,
    impersonation: { as, asUid, asGroups, asUserExtra },
    proxy: cluster.proxyUrl ? new URL(cluster.proxyUrl) : proxyForServer(url, environment.env),
    requestTimeout: parseRequestTimeout(options.requestTimeout),
    connections: options.connections,
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
    throw invalidServer(server);
  }
  return url;
}

/** Whatever precedes the last @ may be a password, also where the address cannot be parsed. */
function invalidServer(server: string): GcError {
  const shown = server.replace(/^([a-z][a-z0-9+.-]*:\/+)?.*@/i, '$1');
  return usageError(
    `the server's address "${shown}" is not an http or https address`,
    ['Write it as https://host:port in the kubeconfig or in --server.'],
    'invalid-server',
  );
}

function withoutUserinfo(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
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
  const { clientCertificate, clientCertificateData, clientKey, clientKeyData } = user;
  return { ...emptyUser, clientCertificate, clientCertificateData, clientKey, clientKeyData };
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
  readonly origin: ConnectionOrigin;
}

/** Where the settings come from, for messages. */
interface ConnectionOrigin {
  /** '' when no context is in force. */
  readonly context: string;
  readonly userName: string;
  /** The files looked for when nothing named a server; undefined when something did. */
  readonly missingKubeconfig: readonly string[] | undefined;
}

/** Refuses what kubectl refuses; throws one error that names every problem. Files alone are no wrong usage. */
function validateEntries({ cluster, user, clusterName, userName }: SelectedEntries): void {
  const hasCertificate = user.clientCertificate !== '' || user.clientCertificateData !== '';
  const hasKey = user.clientKey !== '' || user.clientKeyData !== '';
  const hasBasic = user.username !== '' || user.password !== '';
  const both = (a: string, b: string) => a !== '' && b !== '';
  const problems = [
    both(cluster.certificateAuthority, cluster.certificateAuthorityData) &&
      'certificate-authority and certificate-authority-data are both set',
    (cluster.certificateAuthority !== '' || cluster.certificateAuthorityData !== '') &&
      cluster.insecureSkipTlsVerify &&
      'a certificate authority and insecure-skip-tls-verify are both set',
    invalidProxy(cluster.proxyUrl),
    hasCertificate &&
      both(user.clientCertificate, user.clientCertificateData) &&
      'client-certificate and client-certificate-data are both set',
    hasCertificate &&
      both(user.clientKey, user.clientKeyData) &&
      'client-key and client-key-data are both set',
    hasCertificate && !hasKey && 'a client certificate is set without its client-key',
    (user.token !== '' || user.tokenFile !== '') &&
      hasBasic &&
      'a token and a username or password are both set, only one is allowed',
    user.exec !== undefined &&
      user.authProvider !== undefined &&
      'exec and auth-provider are both set',
    ...(user.exec === undefined ? [] : execProblems(user.exec)),
    user.as === '' &&
      (user.asUid !== '' || user.asGroups.length > 0 || Object.keys(user.asUserExtra).length > 0) &&
      'a uid, groups or extras are to be impersonated without a user (--as)',
  ].filter((problem) => typeof problem === 'string');
  const files = [
    unreadable('certificate-authority', cluster.certificateAuthority),
    hasCertificate && unreadable('client-certificate', user.clientCertificate),
    hasCertificate && unreadable('client-key', user.clientKey),
  ].filter((problem) => typeof problem === 'string');
  const all = [...problems, ...files];
  if (all.length === 0) return;
  throw new GcError(
    `the connection (cluster "${clusterName}", user "${userName}") cannot be used: ${all.join('; ')}`,
    {
      code: 'connection-invalid',
      exitCode: problems.length > 0 ? exitCodes.usage : exitCodes.failed,
      suggestions: [
        'Correct the kubeconfig or the connection flags.',
        suggested('To see the effective settings', shellCommand`kubectl config view --minify`),
      ],
    },
  );
}

function execProblems(exec: ExecPlugin): readonly (string | false)[] {
  return [
    exec.command === '' && 'exec has no command',
    exec.apiVersion === '' && 'exec has no apiVersion',
    exec.env.some(({ name }) => name === '') && 'exec has an env entry without a name',
    exec.interactiveMode === '' && 'exec has no interactiveMode',
    !['', 'Never', 'IfAvailable', 'Always'].includes(exec.interactiveMode) &&
      `exec has an unknown interactiveMode "${exec.interactiveMode}"`,
  ];
}

function invalidProxy(proxyUrl: string): string | false {
  if (proxyUrl === '') return false;
  const protocol = URL.parse(proxyUrl)?.protocol ?? '';
  return (
    !['http:', 'https:', 'socks5:'].includes(protocol) &&
    'proxy-url is not an http, https or socks5 address'
  );
}

function unreadable(what: string, file: string): string | false {
  if (file === '') return false;
  try {
    accessSync(file, constants.R_OK);
    return false;
  } catch {
    return `${what} ${file} cannot be read`;
  }
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
      `--request-timeout "${text}" is not a duration`,
      ['Write whole seconds or a number with a unit: 30, 30s, 1m30s; 0 waits without limit.'],
      'invalid-request-timeout',
    );
  }
  return Math.max(0, milliseconds);
}
