import * as Flags from '@oclif/core/flags';
import type { InferredFlags } from '@oclif/core/interfaces';
import type { CommandPlace } from '../../command-line/shell-command.ts';
import {
  booleanFlag,
  dryRunFlag,
  flagsIn,
  ofCluster,
  repeatedFlag,
  textFlag,
} from './flag-kinds.ts';

/** Flags that every command takes; the help of a command leaves them to `kubectl gc options`. */
export const globalGroup = 'GLOBAL';

const connectionFlags = flagsIn(globalGroup, {
  kubeconfig: textFlag('FILE', 'kubeconfig file to use'),
  context: textFlag(
    'CONTEXT',
    'kubeconfig context to use; audit, orphans, why -A and forecast take several: a,b or all',
  ),
  cluster: textFlag('CLUSTER', 'kubeconfig cluster to use'),
  user: textFlag('USER', 'kubeconfig user to use'),
  server: textFlag('URL', 'address of the API server', { char: 's' }),
  token: textFlag('TOKEN', 'bearer token'),
  username: textFlag('NAME', 'user name for basic authentication'),
  password: textFlag('PASSWORD', 'password for basic authentication'),
  as: textFlag('USER', 'user to impersonate'),
  'as-group': repeatedFlag('GROUP', 'group to impersonate'),
  'as-uid': textFlag('UID', 'uid to impersonate'),
  'as-user-extra': repeatedFlag('KEY=VALUE', 'extra field to impersonate, key=value'),
  'certificate-authority': textFlag('FILE', 'CA certificate file'),
  'client-certificate': textFlag('FILE', 'client certificate file'),
  'client-key': textFlag('FILE', 'client key file'),
  'insecure-skip-tls-verify': booleanFlag("do not check the server's certificate"),
  'tls-server-name': textFlag('NAME', "name to check the server's certificate against"),
  'request-timeout': textFlag(
    'DURATION',
    'time to wait for one request, as in 30s or 2m; 0 waits without limit',
  ),
  'disable-compression': booleanFlag('ask for uncompressed answers'),
  'match-server-version': booleanFlag(
    'refuse a server whose minor version kubectl gc was not proven against',
  ),
  'warnings-as-errors': booleanFlag(
    'exit with 3 when the server warns of a request that changes something',
  ),
  kuberc: textFlag('FILE', 'kuberc file to use, for which credential plugins may run'),
});

/** How lines look, and kubectl's flags about itself. */
const programFlags = flagsIn(globalGroup, {
  color: textFlag('auto|always|never', 'colours: auto (on a terminal), always or never', {
    options: ['auto', 'always', 'never'],
  }),
  'no-color': booleanFlag('no colours; the same as NO_COLOR in the environment'),
  'cache-dir': textFlag(
    'DIR',
    "kubectl's cache of what a server serves; without effect: kubectl gc asks each time",
  ),
  v: textFlag('LEVEL', 'print more when something fails', { char: 'v' }),
  vmodule: textFlag('PATTERN', "log levels of kubectl's source files; without effect"),
  'log-flush-frequency': Flags.string({
    summary: 'interval between flushes of a log; without effect: every line is written immediately',
    helpValue: 'DURATION',
    default: '5s',
  }),
});

/** Where the snapshot comes from and how the answer is printed. */
export const commonFlags = {
  ...connectionFlags,
  namespace: textFlag('NAMESPACE', 'namespace of the request', { char: 'n' }),
  ...flagsIn('INPUT', {
    from: repeatedFlag('PATH', 'a file or folder instead of a cluster; - is stdin'),
    complete: booleanFlag('the files hold the whole cluster: what is not in them does not exist'),
    now: textFlag('TIME', 'the time to count from, as in 2026-01-31T12:00:00Z'),
  }),
  ...programFlags,
};

export const allNamespacesFlag = booleanFlag('all namespaces', { char: 'A' });

/** Of commands about the whole cluster. */
const allByDefaultFlag = booleanFlag('all namespaces, as without -n', { char: 'A' });

export const selectorFlags = {
  selector: textFlag('SELECTOR', 'only objects with these labels, as in -l app=web', { char: 'l' }),
  'field-selector': textFlag('SELECTOR', 'only objects with these fields, as in metadata.name=web'),
};

/** What of a cluster a question is about. */
export const scopeFlags = { 'all-namespaces': allNamespacesFlag, ...selectorFlags };

/** The same of questions that are about all namespaces unless -n names one. */
export const wholeScopeFlags = { 'all-namespaces': allByDefaultFlag, ...selectorFlags };

/** `--settings`, for what controllers decide. */
export const settingsFlag = textFlag('FILE', "the controllers' settings, as YAML");

export const fixFlags = {
  'dry-run': dryRunFlag('with --fix: only show the change, or have the server rehearse', {
    bare: 'server',
    dependsOn: ['fix'],
  }),
  yes: booleanFlag('skip confirmation of --fix', { char: 'y', dependsOn: ['fix'] }),
};

export const watchFlag = ofCluster(
  booleanFlag('watch for changes', { char: 'w', exclusive: ['now', 'apply', 'fix', 'gc'] }),
);

export type WatchFlag = ValuesOf<{ readonly watch: typeof watchFlag }>;

export const filenameFlag = repeatedFlag('FILE', 'the objects that a manifest names', {
  char: 'f',
});

export const auditLogFlag = repeatedFlag(
  'FILE',
  'audit log of the API server, a folder of them, or - for stdin',
);

/** kubectl's flags for tables, of which the rows have an order of their own. */
export const tableFlags = {
  'no-headers': booleanFlag('tables without their headers'),
  'show-labels': booleanFlag('all labels of each object as a column'),
  'label-columns': repeatedFlag('LABEL', 'these labels as columns, as in app,tier', {
    char: 'L',
    delimiter: ',',
  }),
};

export const listingFlags = {
  ...tableFlags,
  'sort-by': textFlag('JSONPATH', 'sort by this field of the document, as in .object.name'),
};

export type ListingFlags = ValuesOf<typeof listingFlags>;

export function outputFlag(formats: readonly string[], fallback: string) {
  return Flags.string({
    char: 'o',
    summary: 'output format',
    helpValue: formats.join('|'),
    default: fallback,
  });
}

export type CommonFlags = ValuesOf<typeof commonFlags>;

/** The values of some flags, after parsing; a function may be called with those alone that it reads. */
export type ValuesOf<T> = Partial<InferredFlags<T>>;

/** The flags that say which cluster is asked, and as whom. */
const connection = [
  ...(['kubeconfig', 'context', 'cluster', 'user', 'username'] as const),
  ...(['as', 'as-group', 'as-uid', 'as-user-extra'] as const),
  ...(['certificate-authority', 'client-certificate', 'client-key', 'tls-server-name'] as const),
  ...(['kuberc', 'server', 'insecure-skip-tls-verify', 'token', 'password'] as const),
];

/** How a printed command has such a flag. Secrets are to be put in: never what was given. */
function printed(name: string, value: string): readonly string[] {
  if (name === 'token' || name === 'password') return [`--${name}=${name.toUpperCase()}`];
  if (name === 'insecure-skip-tls-verify') return value === 'true' ? [`--${name}`] : [];
  // `https://user:password@host` → `https://host`.
  const credentials = /^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i;
  return [`--${name}`, name === 'server' ? value.replace(credentials, '$1') : value];
}

/** The flags with which a printed command asks the cluster or the files that this call asked. */
export function commandPlaceOf(flags: CommonFlags): CommandPlace {
  const { from = [], complete, now } = flags;
  const files = from.flatMap((path) => ['--from', path]);
  if (from.length > 0 && complete) files.push('--complete');
  if (from.length > 0 && now !== undefined) files.push('--now', now);
  return {
    connection: connection.flatMap((name) =>
      [flags[name] ?? []].flat().flatMap((value) => printed(name, String(value))),
    ),
    files,
  };
}

/** Arguments as oclif takes them, without those that a place has: `--context=live`, `--token=…`. */
export function withoutConnection(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.filter((arg, index) => {
    const [, name = ''] = /^--([^=]+)/.exec(arg) ?? [];
    return !connection.some((known) => known === name) || (end >= 0 && index > end);
  });
}
