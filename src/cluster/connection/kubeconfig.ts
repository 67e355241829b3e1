import { delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { type ExitCode, exitCodes, GcError } from '../../errors.ts';
import { kubeDirectory } from '../../files/home-directory.ts';
import { decodedText, readWhole, reasonUnreadable } from '../../files/input-bytes.ts';
import { ParseFailure } from '../../files/parsing/parse-json.ts';
import { parseJsonOrYaml } from '../../files/parsing/parse-yaml.ts';
import { trimmedRight } from '../../kube/names.ts';
import {
  boolean,
  type Declared,
  fields,
  InvalidDocument,
  list,
  map,
  orUnset,
  type Schema,
  text,
} from '../../syntax/document-part.ts';
import type { ClientEnvironment } from './client-environment.ts';

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
    const text = await readKubeconfig(file, mustExist);
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
  const { env, cwd } = environment;
  const listed = env.KUBECONFIG
    ? env.KUBECONFIG.split(delimiter).filter((file) => file !== '')
    : [join(kubeDirectory(env), 'config')];
  const named = explicitFile ? [explicitFile] : [...new Set(listed)];
  return named.map((file) => resolve(cwd, file));
}

async function readKubeconfig(file: string, mustExist: boolean): Promise<string | undefined> {
  try {
    return decodedText(await readWhole(file));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (code !== 'ENOENT')
      throw invalidKubeconfig(file, reasonUnreadable(cause) ?? String(cause), exitCodes.failed);
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

async function decode(text: string, file: string): Promise<unknown> {
  try {
    // kubectl takes the first document.
    return await parseJsonOrYaml(text, 'first');
  } catch (error) {
    if (error instanceof ParseFailure) throw invalidKubeconfig(file, `it is ${error.message}`);
    throw error;
  }
}

/** Reads one kubeconfig document (already YAML-decoded); `file` is absolute and anchors its paths. */
function parseKubeconfig(document: unknown, file: string): Kubeconfig {
  try {
    const header = orZero({}, fields({ kind: string, apiVersion: string }))(document);
    const [kind, apiVersion] = [header.kind || 'Config', header.apiVersion || 'v1'];
    if (kind !== 'Config' || apiVersion !== 'v1') {
      throw invalidKubeconfig(file, `it contains a ${kind} of ${apiVersion}, not a Config of v1`);
    }
    return configPart(file)(document ?? {});
  } catch (error) {
    if (error instanceof InvalidDocument)
      throw invalidKubeconfig(file, error.messageWithoutValue());
    throw error;
  }
}

/** What is not set, or null, is what its type has for nothing, as in Go. */
function orZero<T>(zero: unknown, part: Schema<T>): Schema<T> {
  return (value) => part(value ?? zero);
}

const string = orZero('', text);
const strings = orZero([], list(text));
const flag = orZero(false, boolean);
const anything: Schema<unknown> = (value) => value;

const base64: Schema<string> = (value) => {
  const data = string(value);
  if (/^[A-Za-z0-9+/\r\n]*={0,2}$/.test(trimmedRight(data, '\r\n'))) return data;
  throw new InvalidDocument('is not base64');
};

function mappings<T>(of: Schema<T>): Schema<readonly T[]> {
  return orZero([], list(orZero({}, of)));
}

const configPart = (file: string) => {
  const { cluster, user, context } = entryParts(file);
  return fields({
    clusters: mapByName(fields({ name: string, cluster }), (entry) => entry.cluster),
    users: mapByName(fields({ name: string, user }), (entry) => entry.user),
    contexts: mapByName(fields({ name: string, context }), (entry) => entry.context),
    'current-context': string,
  });
};

/** The entries of a kubeconfig: '' and false mean "not set", as in kubectl; paths are absolute. */
function entryParts(file: string) {
  const path: Schema<string> = (value) => anchored(string(value), file);
  const cluster = fields({
    server: string,
    'tls-server-name': string,
    'insecure-skip-tls-verify': flag,
    'certificate-authority': path,
    'certificate-authority-data': base64,
    'proxy-url': string,
    'disable-compression': flag,
    extensions: mappings(fields({ name: string, extension: anything })),
  });
  const user = fields({
    'client-certificate': path,
    'client-certificate-data': base64,
    'client-key': path,
    'client-key-data': base64,
    token: string,
    tokenFile: path,
    username: string,
    password: string,
    as: string,
    'as-uid': string,
    'as-groups': strings,
    'as-user-extra': orZero({}, map(strings)),
    'auth-provider': orZero(
      undefined,
      orUnset(fields({ name: string, config: orZero({}, map(string)) })),
    ),
    exec: orZero(undefined, orUnset(execPart(file))),
  });
  return {
    cluster: orZero({}, cluster),
    user: orZero({}, user),
    context: orZero({}, fields({ cluster: string, user: string, namespace: string })),
  };
}

const execFields = fields({
  command: string,
  args: strings,
  env: mappings(fields({ name: string, value: string })),
  apiVersion: string,
  installHint: string,
  provideClusterInfo: flag,
  interactiveMode: string,
});

function execPart(file: string): Schema<Declared<typeof execFields>> {
  return (value) => {
    const exec = execFields(value);
    const { command, apiVersion, interactiveMode } = exec;
    const modeIsOptional = apiVersion === 'client.authentication.k8s.io/v1beta1';
    return {
      ...exec,
      // A bare name is looked up in PATH; only a path belongs to the file.
      command: command.includes(sep) ? anchored(command, file) : command,
      interactiveMode: interactiveMode || (modeIsOptional ? 'IfAvailable' : ''),
    };
  };
}

function anchored(path: string, file: string): string {
  return path === '' || isAbsolute(path) ? path : join(dirname(file), path);
}

function mapByName<E extends { readonly name: string }, T>(
  entry: Schema<E>,
  entryOf: (entry: E) => T,
): Schema<ReadonlyMap<string, T>> {
  return (value) => {
    const entries = new Map<string, T>();
    for (const one of mappings(entry)(value)) {
      if (entries.has(one.name)) throw new InvalidDocument(`has "${one.name}" twice`);
      entries.set(one.name, entryOf(one));
    }
    return entries;
  };
}

function invalidKubeconfig(file: string, why: string, exitCode: ExitCode = exitCodes.usage) {
  return new GcError(`kubeconfig ${file} cannot be used: ${why}`, {
    code: 'kubeconfig-invalid',
    exitCode,
    suggestions: ['Correct the file, or name another one with --kubeconfig.'],
  });
}

export type Kubeconfig = Declared<ReturnType<typeof configPart>>;
type EntryParts = ReturnType<typeof entryParts>;
export type KubeconfigCluster = Declared<EntryParts['cluster']>;
export type KubeconfigUser = Declared<EntryParts['user']>;
export type ExecPlugin = Declared<typeof execFields>;
export type AuthProvider = NonNullable<KubeconfigUser['auth-provider']>;
/** Whom the server is asked to take the user for. */
export type Impersonation = Pick<KubeconfigUser, 'as' | 'as-uid' | 'as-groups' | 'as-user-extra'>;

/** A file, or its content in base64. */
export type Pem<Name extends string> = Readonly<Record<Name | `${Name}-data`, string>>;

export function hasPem<Name extends string>(entry: Pem<Name>, name: Name): boolean {
  return entry[name] !== '' || entry[`${name}-data`] !== '';
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
    'current-context':
      configs.find((config) => config['current-context'] !== '')?.['current-context'] ?? '',
  };
}

const empty = entryParts('');
export const emptyCluster = empty.cluster({});
export const emptyUser = empty.user({});
