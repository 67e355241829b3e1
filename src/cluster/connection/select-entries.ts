import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type GcError, usageError } from '../../errors.ts';
import { compareText } from '../../kube/names.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionOptions } from './cluster-client.ts';
import {
  emptyCluster,
  emptyUser,
  type Impersonation,
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigUser,
} from './kubeconfig.ts';

/** The entries in force, flags merged over them, by clientcmd's rules. */
export interface SelectedEntries {
  readonly contextName: string;
  readonly clusterName: string;
  readonly userName: string;
  /** '' when the context names none. */
  readonly namespace: string;
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
  /** True when the server is the one kubectl assumes when nothing names another. */
  readonly isDefault: boolean;
}

/** Picks context, cluster and user; throws a usage error for a name that does not exist. */
export function selectEntries(
  config: Kubeconfig,
  options: ConnectionOptions,
  environment: ClientEnvironment,
): SelectedEntries {
  const contextName = options.context || config.currentContext;
  const context = config.contexts.get(contextName);
  if (contextName !== '' && context === undefined) {
    if (options.context && listedContexts(options.context, config.contexts)) {
      throw severalContexts(options.context);
    }
    throw unknownEntry('context', contextName, config.contexts);
  }
  const clusterName = options.cluster || context?.cluster || '';
  const userName = options.user || context?.user || '';
  const cluster = config.clusters.get(clusterName);
  const user = config.users.get(userName);
  if (options.user && user === undefined) throw unknownEntry('user', userName, config.users);
  if (clusterName !== '' && cluster === undefined && (options.cluster || !options.server)) {
    throw unknownEntry('cluster', clusterName, config.clusters);
  }
  const fallback = { ...emptyCluster, server: defaultServer(environment) };
  const mergedCluster = clusterWithFlags(
    cluster?.server ? cluster : { ...fallback, ...cluster, server: fallback.server },
    options,
    environment.cwd,
  );
  const mergedUser = userWithFlags(user ?? emptyUser, options, environment.cwd);
  // Credentials never go to an http server, so there a missing user does not matter.
  if (userName !== '' && user === undefined && !canIdentify(mergedUser)) {
    if (mergedCluster.server.startsWith('https:'))
      throw unknownEntry('user', userName, config.users);
  }
  return {
    contextName,
    clusterName,
    userName,
    namespace: context?.namespace ?? '',
    cluster: mergedCluster,
    user: mergedUser,
    isDefault: mergedCluster.server === fallback.server && mergedCluster.proxyUrl === '',
  };
}

/**
 * The contexts that `--context` lists: `all`, or `a,b`; undefined where it names one. What is the name of a
 * context counts as that name, also as a part of a list: of the names that a comma makes possible, the longest.
 */
export function listedContexts(
  text: string,
  known: ReadonlyMap<string, unknown>,
): readonly string[] | undefined {
  if (known.has(text)) return undefined;
  if (text === 'all') return [...known.keys()].sort(compareText);
  const parts = text.split(',');
  if (parts.length === 1) return undefined;
  const names = new Set<string>();
  for (let start = 0; start < parts.length; ) {
    let end = parts.length;
    while (end > start + 1 && !known.has(parts.slice(start, end).join(','))) end -= 1;
    names.add(parts.slice(start, end).join(','));
    start = end;
  }
  return [...names];
}

function severalContexts(text: string): GcError {
  return usageError(
    `--context "${text}" names several clusters, and this question is put to one`,
    ['Name one context. Several are for audit, orphans, why -A and forecast.'],
    'several-contexts',
  );
}

/** The entries of a pod's service account with the flags over them. */
export function selectInCluster(
  pod: InClusterEntries,
  options: ConnectionOptions,
  environment: ClientEnvironment,
): SelectedEntries {
  const user = userWithFlags(pod.user, options, environment.cwd);
  return {
    contextName: '',
    clusterName: 'in-cluster',
    userName: 'in-cluster',
    namespace: pod.namespace,
    cluster: clusterWithFlags(pod.cluster, options, environment.cwd),
    user: options.token ? { ...user, tokenFile: '' } : user,
    isDefault: false,
  };
}

/** The server that kubectl falls back to when nothing names one. */
function defaultServer({ env }: ClientEnvironment): string {
  return env.KUBERNETES_MASTER || 'http://localhost:8080';
}

function clusterWithFlags(
  cluster: KubeconfigCluster,
  options: ConnectionOptions,
  cwd: string,
): KubeconfigCluster {
  const skipVerify = options.insecureSkipTlsVerify === true;
  const authority = fileFlag(options.certificateAuthority, cwd);
  const serverFlag = options.server || '';
  // A flag about trust replaces all that the kubeconfig says about trust; so does --server for the name.
  const trust =
    skipVerify || authority !== ''
      ? {
          insecureSkipTlsVerify: skipVerify,
          certificateAuthority: authority,
          certificateAuthorityData: '',
        }
      : {};
  return {
    ...cluster,
    ...trust,
    server: serverFlag || cluster.server,
    tlsServerName:
      options.tlsServerName || serverFlag ? (options.tlsServerName ?? '') : cluster.tlsServerName,
    disableCompression: cluster.disableCompression || options.disableCompression === true,
  };
}

function userWithFlags(
  user: KubeconfigUser,
  options: ConnectionOptions,
  cwd: string,
): KubeconfigUser {
  const certificate = fileFlag(options.clientCertificate, cwd);
  const key = fileFlag(options.clientKey, cwd);
  return {
    ...user,
    ...(certificate && { clientCertificate: certificate, clientCertificateData: '' }),
    ...(key && { clientKey: key, clientKeyData: '' }),
    token: options.token || user.token,
    username: options.username || user.username,
    password: options.password || user.password,
    as: options.as || user.as,
    asUid: options.asUid || user.asUid,
    asGroups: options.asGroup?.length ? options.asGroup : user.asGroups,
    asUserExtra: { ...user.asUserExtra, ...extraIn(options.asUserExtra ?? []) },
  };
}

function extraIn(pairs: readonly string[]): Impersonation['asUserExtra'] {
  // Without a prototype no key is there before it is given.
  const extra: Record<string, string[]> = Object.create(null);
  for (const pair of pairs) {
    const [key = '', ...rest] = pair.split('=');
    if (rest.length === 0) {
      throw usageError(
        `--as-user-extra "${pair}" is not a key and a value`,
        ['Write it as key=value.'],
        'invalid-user-extra',
      );
    }
    extra[key] = [...(extra[key] ?? []), rest.join('=')];
  }
  return extra;
}

function canIdentify(user: KubeconfigUser): boolean {
  return [user.token, user.username, user.clientCertificate].some((value) => value !== '');
}

function fileFlag(path: string | undefined, cwd: string): string {
  return path ? resolve(cwd, path) : '';
}

export function unknownEntry(
  what: string,
  name: string,
  known: ReadonlyMap<string, unknown>,
): GcError {
  const names = [...known.keys()];
  const listed = names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '');
  return usageError(
    `${what} "${name}" does not exist in the kubeconfig`,
    [
      names.length > 0
        ? `Choose one of: ${listed}.`
        : `The kubeconfig has no ${what}; check --kubeconfig and $KUBECONFIG.`,
    ],
    `unknown-${what}`,
  );
}

interface InClusterEntries {
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
  readonly namespace: string;
}

/** The connection of a pod's service account; undefined outside of a pod. */
export function inClusterEntries(environment: ClientEnvironment): InClusterEntries | undefined {
  const { env, serviceAccountDirectory } = environment;
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  const tokenFile = join(serviceAccountDirectory, 'token');
  if (!host || !port || !isFile(tokenFile)) return undefined;
  const authority = join(serviceAccountDirectory, 'ca.crt');
  return {
    cluster: {
      ...emptyCluster,
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      certificateAuthority: isFile(authority) ? authority : '',
    },
    user: { ...emptyUser, tokenFile },
    namespace: env.POD_NAMESPACE || namespaceOf(serviceAccountDirectory),
  };
}

function namespaceOf(directory: string): string {
  const file = join(directory, 'namespace');
  return (isFile(file) && readFileSync(file, 'utf8').trim()) || 'default';
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
