import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { type ExitCode, exitCodes, GcError } from '../../errors.ts';
import { readWhole, reasonUnreadable } from '../../files/file-bytes.ts';
import { kubeDirectory } from '../../files/home-directory.ts';
import { ParseFailure } from '../../files/parsing/parse-json.ts';
import { parseYaml } from '../../files/parsing/parse-yaml.ts';
import { fieldsOf, type Json, jsonOf, typeNameOf } from '../../kube/json-value.ts';
import { type ClientEnvironment, kubeconfigFilesFromEnvironment } from './client-environment.ts';

/**
 * Loads the kubeconfig by kubectl's rules: the file of `--kubeconfig` (must exist), else the files
 * of $KUBECONFIG merged (missing ones ignored), else ~/.kube/config (may be missing).
 */
export async function loadKubeconfig(
  explicitFile: string | undefined,
  environment: ClientEnvironment,
): Promise<LoadedKubeconfig> {
  const files = kubeconfigFiles(explicitFile, environment);
  const configs: Kubeconfig[] = [];
  for (const file of files) {
    const mustExist = explicitFile !== undefined && explicitFile !== '';
    const text = await readKubeconfig(file, mustExist, environment.remark);
    if (text !== undefined) configs.push(parseKubeconfig(await decode(text, file), file));
  }
  return { config: mergeKubeconfigs(configs), files };
}

/** A kubeconfig that is no file: relative paths in it start at `folder`, and nothing is written back. */
export async function kubeconfigFromText(text: string, folder: string): Promise<LoadedKubeconfig> {
  const file = join(folder, 'given as an object');
  return { config: parseKubeconfig(await decode(text, file), file), files: [file] };
}

/** Where a kubeconfig is looked for. */
export function kubeconfigFiles(
  explicitFile: string | undefined,
  environment: ClientEnvironment,
): readonly string[] {
  const named = explicitFile
    ? [explicitFile]
    : (kubeconfigFilesFromEnvironment(environment) ?? [
        join(kubeDirectory(environment.env), 'config'),
      ]);
  return named.map((file) => resolve(environment.cwd, file));
}

async function readKubeconfig(
  file: string,
  mustExist: boolean,
  remark: ClientEnvironment['remark'],
): Promise<string | undefined> {
  try {
    return (await readWhole(file, process.stdin, remark)).toString();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (code !== 'ENOENT')
      throw invalidKubeconfig(
        file,
        reasons[code] ?? reasonUnreadable(cause) ?? String(cause),
        exitCodes.failed,
      );
    if (!mustExist) return undefined;
    throw new GcError(`kubeconfig ${file} does not exist`, {
      code: 'kubeconfig-missing',
      suggestions: [
        'Name an existing file with --kubeconfig, or leave the flag out to use $KUBECONFIG or ~/.kube/config.',
      ],
      cause,
    });
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'reading it is not permitted',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
};

async function decode(text: string, file: string): Promise<unknown> {
  try {
    // kubectl takes the first document.
    return await parseYaml(text, 'first');
  } catch (error) {
    if (error instanceof ParseFailure) throw invalidKubeconfig(file, `it is ${error.message}`);
    throw error;
  }
}

const execExtension = 'client.authentication.k8s.io/exec';

/** Reads one kubeconfig document (already YAML-decoded); `file` is absolute and anchors its paths. */
function parseKubeconfig(document: unknown, file: string): Kubeconfig {
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

/**
 * Typed access to the fields of a parsed kubeconfig. Missing and null are the zero value, a wrong
 * type is an error that names the field and never its value, which may be a secret.
 */
class KubeconfigFields {
  readonly #mapping: Json;
  readonly #path: string;
  readonly file: string;

  constructor(value: unknown, file: string, path = '') {
    this.file = file;
    this.#path = path;
    if (value !== undefined && value !== null && !jsonOf(value)) throw this.#invalid('', value);
    this.#mapping = fieldsOf(value);
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  raw(name: string): unknown {
    return Object.hasOwn(this.#mapping, name) ? (this.#mapping[name] ?? undefined) : undefined;
  }

  text(name: string): string {
    const value = this.raw(name) ?? '';
    if (typeof value !== 'string') throw this.#invalid(name, value, 'a string');
    return value;
  }

  base64(name: string): string {
    const data = this.text(name);
    if (/^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(data)) return data;
    throw invalidKubeconfig(this.file, `${this.#pathOf(name)} is not base64`);
  }

  flag(name: string): boolean {
    const value = this.raw(name) ?? false;
    if (typeof value === 'boolean') return value;
    // kubectl reads YAML 1.1, where these are booleans too.
    if (value === 'yes' || value === 'on' || value === 'y') return true;
    if (value === 'no' || value === 'off' || value === 'n') return false;
    throw this.#invalid(name, value, 'true or false');
  }

  texts(name: string): readonly string[] {
    return this.#list(name).map((value, index) => {
      if (typeof value !== 'string') throw this.#invalid(`${name}[${index}]`, value, 'a string');
      return value;
    });
  }

  fields(name: string): KubeconfigFields {
    return new KubeconfigFields(this.raw(name), this.file, this.#pathOf(name));
  }

  items(name: string): readonly KubeconfigFields[] {
    return this.#list(name).map(
      (value, index) => new KubeconfigFields(value, this.file, this.#pathOf(`${name}[${index}]`)),
    );
  }

  names(): readonly string[] {
    return Object.keys(this.#mapping);
  }

  #list(name: string): readonly unknown[] {
    const value = this.raw(name) ?? [];
    if (!Array.isArray(value)) throw this.#invalid(name, value, 'a list');
    return value;
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  #invalid(name: string, value: unknown, wanted = 'a mapping') {
    const path = name === '' ? this.#path || 'the document' : this.#pathOf(name);
    return invalidKubeconfig(this.file, `${path} must be ${wanted}, not ${typeNameOf(value)}`);
  }
}

function invalidKubeconfig(file: string, why: string, exitCode: ExitCode = exitCodes.usage) {
  return new GcError(`kubeconfig ${file} cannot be used: ${why}`, {
    code: 'kubeconfig-invalid',
    exitCode,
    suggestions: ['Correct the file, or name another one with --kubeconfig.'],
  });
}

/** A cluster entry; '' and false mean "not set", as in kubectl. */
export interface KubeconfigCluster {
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTlsVerify: boolean;
  /** Absolute path. */
  readonly certificateAuthority: string;
  /** Base64 of PEM. */
  readonly certificateAuthorityData: string;
  readonly proxyUrl: string;
  readonly disableCompression: boolean;
  /** The `client.authentication.k8s.io/exec` extension, handed to exec plugins as it is. */
  readonly execConfig: unknown;
}

export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string;
}

export interface AuthProvider {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

export interface Impersonation {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A user entry; '' means "not set", paths are absolute. */
export interface KubeconfigUser {
  readonly clientCertificate: string;
  readonly clientCertificateData: string;
  readonly clientKey: string;
  readonly clientKeyData: string;
  readonly token: string;
  readonly tokenFile: string;
  readonly username: string;
  readonly password: string;
  readonly impersonation: Impersonation;
  readonly authProvider?: AuthProvider | undefined;
  readonly exec?: ExecPlugin | undefined;
}

interface KubeconfigContext {
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  readonly currentContext: string;
}

export interface LoadedKubeconfig {
  readonly config: Kubeconfig;
  /** Those looked for, absolute, whether they exist or not. */
  readonly files: readonly string[];
}

/** Merges as kubectl does: the first file to name an entry owns all of it. */
function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const firstWins = <T>(maps: readonly ReadonlyMap<string, T>[]) =>
    new Map(maps.toReversed().flatMap((entries) => [...entries]));
  return {
    clusters: firstWins(configs.map(({ clusters }) => clusters)),
    users: firstWins(configs.map(({ users }) => users)),
    contexts: firstWins(configs.map(({ contexts }) => contexts)),
    currentContext: configs.find((config) => config.currentContext !== '')?.currentContext ?? '',
  };
}

const noFields = new KubeconfigFields(undefined, '');
export const emptyCluster = parseCluster(noFields);
export const emptyUser = parseUser(noFields);
