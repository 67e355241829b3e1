import * as Flags from '@oclif/core/flags';
import type { InferredFlags } from '@oclif/core/interfaces';
import type { FlagShape } from '../argv/normalize-argv.ts';

/** A flag that may be given several times, each time with one value. */
export const repeatable = { multiple: true, multipleNonGreedy: true } as const;

/** Flags that every command takes; the help of a command leaves them to `kubectl gc options`. */
export const globalGroup = 'GLOBAL';
const connection = globalGroup;
const input = 'INPUT';

/** kubectl's connection flags, under kubectl's names. */
const connectionFlags = {
  kubeconfig: Flags.string({
    helpValue: 'FILE',
    helpGroup: connection,
    summary: 'kubeconfig file to use',
  }),
  context: Flags.string({
    helpValue: 'CONTEXT',
    helpGroup: connection,
    summary:
      'kubeconfig context to use; audit, orphans, why -A and forecast take several: a,b or all',
  }),
  cluster: Flags.string({
    helpValue: 'CLUSTER',
    helpGroup: connection,
    summary: 'kubeconfig cluster to use',
  }),
  user: Flags.string({
    helpValue: 'USER',
    helpGroup: connection,
    summary: 'kubeconfig user to use',
  }),
  namespace: Flags.string({
    helpValue: 'NAMESPACE',
    char: 'n',
    summary: 'namespace of the request',
  }),
  server: Flags.string({
    helpValue: 'URL',
    char: 's',
    helpGroup: connection,
    summary: 'address of the API server',
  }),
  token: Flags.string({ helpValue: 'TOKEN', helpGroup: connection, summary: 'bearer token' }),
  username: Flags.string({
    helpValue: 'NAME',
    helpGroup: connection,
    summary: 'user name for basic authentication',
  }),
  password: Flags.string({
    helpValue: 'PASSWORD',
    helpGroup: connection,
    summary: 'password for basic authentication',
  }),
  as: Flags.string({ helpValue: 'USER', helpGroup: connection, summary: 'user to impersonate' }),
  'as-group': Flags.string({
    helpValue: 'GROUP',
    helpGroup: connection,
    summary: 'group to impersonate; may be repeated',
    ...repeatable,
  }),
  'as-uid': Flags.string({
    helpValue: 'UID',
    helpGroup: connection,
    summary: 'uid to impersonate',
  }),
  'as-user-extra': Flags.string({
    helpValue: 'KEY=VALUE',
    helpGroup: connection,
    summary: 'extra field to impersonate, key=value; may be repeated',
    ...repeatable,
  }),
  'certificate-authority': Flags.string({
    helpValue: 'FILE',
    helpGroup: connection,
    summary: 'CA certificate file',
  }),
  'client-certificate': Flags.string({
    helpValue: 'FILE',
    helpGroup: connection,
    summary: 'client certificate file',
  }),
  'client-key': Flags.string({
    helpValue: 'FILE',
    helpGroup: connection,
    summary: 'client key file',
  }),
  'insecure-skip-tls-verify': Flags.boolean({
    helpGroup: connection,
    summary: "do not check the server's certificate",
  }),
  'tls-server-name': Flags.string({
    helpValue: 'NAME',
    helpGroup: connection,
    summary: "name to check the server's certificate against",
  }),
  'request-timeout': Flags.string({
    helpValue: 'DURATION',
    helpGroup: connection,
    summary: 'time to wait for one request, as in 30s or 2m; 0 waits without limit',
  }),
  'disable-compression': Flags.boolean({
    helpGroup: connection,
    summary: 'ask for uncompressed answers',
  }),
  'match-server-version': Flags.boolean({
    helpGroup: connection,
    summary: 'refuse a server whose minor version kubectl gc was not proven against',
  }),
  'warnings-as-errors': Flags.boolean({
    helpGroup: connection,
    summary: 'exit with 3 when the server warns of a request that changes something',
  }),
  kuberc: Flags.string({
    helpValue: 'FILE',
    helpGroup: connection,
    summary: 'kuberc file to use, for which credential plugins may run',
  }),
};

/** kubectl's flags about itself. */
const programFlags = {
  'cache-dir': Flags.string({
    helpValue: 'DIR',
    helpGroup: globalGroup,
    summary: "kubectl's cache of what a server serves; without effect: kubectl gc asks each time",
  }),
  v: Flags.string({
    char: 'v',
    helpGroup: globalGroup,
    summary: 'print more when something fails',
    helpValue: 'LEVEL',
  }),
  vmodule: Flags.string({
    helpValue: 'PATTERN',
    helpGroup: globalGroup,
    summary: "log levels of kubectl's source files; without effect",
  }),
  'log-flush-frequency': Flags.string({
    helpGroup: globalGroup,
    summary: 'how often a log is flushed; without effect: every line is written at once',
    helpValue: 'DURATION',
    default: '5s',
  }),
};

/** Where the snapshot comes from and how the answer is printed. */
export const commonFlags = {
  ...connectionFlags,
  from: Flags.string({
    helpValue: 'PATH',
    helpGroup: input,
    summary: 'read files instead of a cluster: a file, a folder, or - for stdin; may be repeated',
    ...repeatable,
  }),
  complete: Flags.boolean({
    helpGroup: input,
    summary: 'the files hold the whole cluster: what is not in them does not exist',
  }),
  now: Flags.string({
    helpValue: 'TIME',
    helpGroup: input,
    summary: 'the time to count from, as in 2026-01-31T12:00:00Z',
  }),
  color: Flags.string({
    helpGroup: globalGroup,
    summary: 'colours: auto (on a terminal), always or never',
    options: ['auto', 'always', 'never'],
    helpValue: 'auto|always|never',
  }),
  'no-color': Flags.boolean({
    helpGroup: globalGroup,
    summary: 'no colours; so does NO_COLOR in the environment',
  }),
  ...programFlags,
};

export const allNamespacesFlag = Flags.boolean({
  char: 'A',
  summary: 'all namespaces',
});

export const selectorFlags = {
  selector: Flags.string({
    helpValue: 'SELECTOR',
    char: 'l',
    summary: 'only objects with these labels, as in -l app=web',
  }),
  'field-selector': Flags.string({
    helpValue: 'SELECTOR',
    summary: 'only objects with these fields, as in metadata.name=web',
  }),
};

/** How `--fix` goes about it. */
export const fixFlags = {
  'dry-run': Flags.boolean({
    summary: 'with --fix: only rehearse on the server',
    dependsOn: ['fix'],
  }),
  yes: Flags.boolean({ char: 'y', summary: 'with --fix: do not ask', dependsOn: ['fix'] }),
};

export const watchFlag = Flags.boolean({
  char: 'w',
  summary: 'go on, and show what changes: on a terminal in place, else line by line',
  exclusive: ['from', 'now', 'apply', 'fix', 'gc'],
});

export type WatchFlag = ValuesOf<{ readonly watch: typeof watchFlag }>;

export const filenameFlag = Flags.string({
  helpValue: 'FILE',
  char: 'f',
  summary: 'the objects that a manifest names; may be repeated',
  ...repeatable,
});

/** kubectl's flags for tables, of which the rows have an order of their own. */
export const tableFlags = {
  'no-headers': Flags.boolean({ summary: 'tables without their headers' }),
  'show-labels': Flags.boolean({ summary: 'all labels of each object as a column' }),
  'label-columns': Flags.string({
    char: 'L',
    summary: 'these labels as columns, as in app,tier; may be repeated',
    helpValue: 'LABEL',
    ...repeatable,
  }),
};

/** Those for lists. */
export const listingFlags = {
  ...tableFlags,
  'sort-by': Flags.string({
    summary: 'sort by this field of the document, as in .object.name',
    helpValue: 'JSONPATH',
  }),
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

/** The values of `commonFlags`, after parsing. */
export type CommonFlags = ValuesOf<typeof commonFlags>;

/** The values of some flags, after parsing; a function may be called with those alone that it reads. */
export type ValuesOf<T> = Partial<InferredFlags<T>>;

/**
 * Lets a flag stand alone, as kubectl's `--cascade`: `bare` is its value then. A following word
 * that is like the pattern `following` is still the value. The argument normaliser reads both off
 * the flag.
 */
export function optionalValue<Flag extends object>(
  flag: Flag,
  alone: Required<Pick<FlagShape, 'bare'>> & Pick<FlagShape, 'following'>,
): Flag {
  return Object.assign(flag, alone);
}
