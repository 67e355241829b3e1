import { dirname, isAbsolute, join, sep } from 'node:path';
import type {
  Impersonation,
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigUser,
} from './kubeconfig.ts';
import { invalidKubeconfig, KubeconfigFields } from './kubeconfig-fields.ts';

const execExtension = 'client.authentication.k8s.io/exec';

/** Reads one kubeconfig document (already YAML-decoded); `file` is absolute and anchors its paths. */
export function parseKubeconfig(document: unknown, file: string): Kubeconfig {
  const config = new KubeconfigFields(document, file);
  const kind = config.text('kind') || 'Config';
  const apiVersion = config.text('apiVersion') || 'v1';
  if (kind !== 'Config' || apiVersion !== 'v1') {
    throw invalidKubeconfig(file, `it holds a ${kind} of ${apiVersion}, not a Config of v1`);
  }
  return {
    clusters: named(config, 'clusters', 'cluster', parseCluster),
    users: named(config, 'users', 'user', parseUser),
    contexts: named(config, 'contexts', 'context', parseContext),
    currentContext: config.text('current-context'),
  };
}

function named<T>(
  config: KubeconfigFields,
  list: string,
  field: string,
  parse: (entry: KubeconfigFields) => T,
): ReadonlyMap<string, T> {
  const entries = new Map<string, T>();
  for (const item of config.items(list)) {
    const name = item.text('name');
    if (entries.has(name)) throw invalidKubeconfig(config.file, `${list} has "${name}" twice`);
    entries.set(name, parse(item.fields(field)));
  }
  return entries;
}

function parseCluster(entry: KubeconfigFields): KubeconfigCluster {
  const extension = entry.items('extensions').find((item) => item.text('name') === execExtension);
  return {
    server: entry.text('server'),
    tlsServerName: entry.text('tls-server-name'),
    insecureSkipTlsVerify: entry.flag('insecure-skip-tls-verify'),
    certificateAuthority: anchored(entry, 'certificate-authority'),
    certificateAuthorityData: entry.base64('certificate-authority-data'),
    proxyUrl: entry.text('proxy-url'),
    disableCompression: entry.flag('disable-compression'),
    execConfig: extension?.raw('extension'),
  };
}

function parseContext(entry: KubeconfigFields): KubeconfigContext {
  return {
    cluster: entry.text('cluster'),
    user: entry.text('user'),
    namespace: entry.text('namespace'),
  };
}

function parseUser(entry: KubeconfigFields): KubeconfigUser {
  return {
    clientCertificate: anchored(entry, 'client-certificate'),
    clientCertificateData: entry.base64('client-certificate-data'),
    clientKey: anchored(entry, 'client-key'),
    clientKeyData: entry.base64('client-key-data'),
    token: entry.text('token'),
    tokenFile: anchored(entry, 'tokenFile'),
    username: entry.text('username'),
    password: entry.text('password'),
    impersonation: parseImpersonation(entry),
    authProvider: entry.has('auth-provider')
      ? parseAuthProvider(entry.fields('auth-provider'))
      : undefined,
    exec: entry.has('exec') ? parseExec(entry.fields('exec')) : undefined,
    origin: entry.file,
  };
}

function parseImpersonation(entry: KubeconfigFields): Impersonation {
  const extra = entry.fields('as-user-extra');
  return {
    user: entry.text('as'),
    uid: entry.text('as-uid'),
    groups: entry.texts('as-groups'),
    extra: Object.fromEntries(extra.names().map((name) => [name, extra.texts(name)])),
  };
}

function parseAuthProvider(entry: KubeconfigFields) {
  const config = entry.fields('config');
  const values = config.names().map((name) => [name, config.text(name)]);
  return { name: entry.text('name'), config: Object.fromEntries(values) };
}

function parseExec(entry: KubeconfigFields) {
  const command = entry.text('command');
  const apiVersion = entry.text('apiVersion');
  const modeIsOptional = apiVersion === 'client.authentication.k8s.io/v1beta1';
  return {
    // A bare name is looked up in PATH; only a path belongs to the file.
    command: command.includes(sep) ? anchored(entry, 'command') : command,
    args: entry.texts('args'),
    env: entry.items('env').map((item) => ({ name: item.text('name'), value: item.text('value') })),
    apiVersion,
    installHint: entry.text('installHint'),
    provideClusterInfo: entry.flag('provideClusterInfo'),
    interactiveMode: entry.text('interactiveMode') || (modeIsOptional ? 'IfAvailable' : ''),
  };
}

function anchored(entry: KubeconfigFields, name: string): string {
  const path = entry.text(name);
  return path === '' || isAbsolute(path) ? path : join(dirname(entry.file), path);
}
