import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type GcError, usageError } from '../../errors.ts';
import { didYouMean } from '../../kube/names.ts';
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
  const contextName = options.context || config['current-context'];
  const context = config.contexts.get(contextName);
  if (contextName !== '' && context === undefined) {
    if (options.context && /,|^all$/.test(options.context)) throw severalContexts(options.context);
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
  const fallback = defaultServer(environment);
  const named = { ...emptyCluster, ...cluster, server: cluster?.server || fallback };
  const mergedCluster = clusterWithFlags(named, options, environment.cwd);
  const mergedUser = userWithFlags(user ?? emptyUser, options, environment.cwd);
  // Credentials never go to an http server, so there a missing user does not matter.
  if (userName !== '' && user === undefined && !canIdentify(mergedUser)) {
    if (mergedCluster.server.startsWith('https:'))
      throw unknownEntry('user', userName, config.users);
  }
  return {
    clusterName,
    userName,
    namespace: context?.namespace ?? '',
    cluster: mergedCluster,
    user: mergedUser,
    isDefault: mergedCluster.server === fallback && mergedCluster['proxy-url'] === '',
  };
}

function severalContexts(text: string): GcError {
  return usageError(
    `--context "${text}" names several clusters, and this question is put to one`,
    ['Name one context. Several are for audit, orphans, why -A and forecast.'],
    'several-contexts',
  );
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
  const skipVerify = options['insecure-skip-tls-verify'] === true;
  const authority = fileFlag(options['certificate-authority'], cwd);
  const serverFlag = options.server || '';
  // A flag about trust replaces all trust settings of the kubeconfig; --server replaces the server name, too.
  const trust =
    skipVerify || authority !== ''
      ? {
          'insecure-skip-tls-verify': skipVerify,
          'certificate-authority': authority,
          'certificate-authority-data': '',
        }
      : {};
  return {
    ...cluster,
    ...trust,
    server: serverFlag || cluster.server,
    'tls-server-name':
      options['tls-server-name'] || serverFlag
        ? (options['tls-server-name'] ?? '')
        : cluster['tls-server-name'],
    'disable-compression':
      cluster['disable-compression'] || options['disable-compression'] === true,
  };
}

function userWithFlags(
  user: KubeconfigUser,
  options: ConnectionOptions,
  cwd: string,
): KubeconfigUser {
  const certificate = fileFlag(options['client-certificate'], cwd);
  const key = fileFlag(options['client-key'], cwd);
  return {
    ...user,
    ...(certificate && { 'client-certificate': certificate, 'client-certificate-data': '' }),
    ...(key && { 'client-key': key, 'client-key-data': '' }),
    token: options.token || user.token,
    username: options.username || user.username,
    password: options.password || user.password,
    as: options.as || user.as,
    'as-uid': options['as-uid'] || user['as-uid'],
    'as-groups': options['as-group']?.length ? options['as-group'] : user['as-groups'],
    'as-user-extra': { ...user['as-user-extra'], ...extraIn(options['as-user-extra'] ?? []) },
  };
}

function extraIn(pairs: readonly string[]): Impersonation['as-user-extra'] {
  // Without a prototype no key is there before it is given.
  const extra: Record<string, string[]> = Object.create(null);
  for (const pair of pairs) {
    const [key = '', ...rest] = pair.split('=');
    if (rest.length === 0) {
      throw usageError(
        `--as-user-extra "${pair}" is not a key and a value: the server takes both`,
        ['Write it as key=value.'],
        'invalid-user-extra',
      );
    }
    extra[key] = [...(extra[key] ?? []), rest.join('=')];
  }
  return extra;
}

function canIdentify(user: KubeconfigUser): boolean {
  return [user.token, user.username, user['client-certificate']].some((value) => value !== '');
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
      ...didYouMean(name, names),
      names.length > 0
        ? `Choose one of: ${listed}.`
        : `The kubeconfig has no ${what}; check --kubeconfig and $KUBECONFIG.`,
    ],
    `unknown-${what}`,
  );
}

/** The connection of a pod's service account, flags merged over it; undefined outside of a pod. */
export function podEntries(
  options: ConnectionOptions,
  { env, cwd, serviceAccountDirectory }: ClientEnvironment,
): SelectedEntries | undefined {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  const tokenFile = join(serviceAccountDirectory, 'token');
  if (!host || !port || !isFile(tokenFile)) return undefined;
  const authority = join(serviceAccountDirectory, 'ca.crt');
  const cluster = {
    ...emptyCluster,
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    'certificate-authority': isFile(authority) ? authority : '',
  };
  const user = { ...emptyUser, tokenFile: options.token ? '' : tokenFile };
  const name = 'in-cluster';
  const named = join(serviceAccountDirectory, 'namespace');
  const own = isFile(named) && readFileSync(named, 'utf8').trim();
  return {
    clusterName: name,
    userName: name,
    namespace: env.POD_NAMESPACE || own || 'default',
    cluster: clusterWithFlags(cluster, options, cwd),
    user: userWithFlags(user, options, cwd),
    isDefault: false,
  };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
