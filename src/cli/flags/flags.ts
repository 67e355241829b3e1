import * as Flags from '@oclif/core/flags';
import type { InferredFlags } from '@oclif/core/interfaces';
import type { ConnectionOptions } from '../../cluster/connection/cluster-client.ts';
import type { FlagShape } from '../argv/normalize-argv.ts';

/** A flag that may be given several times, each time with one value. */
export const repeatable = { multiple: true, multipleNonGreedy: true } as const;

const connection = 'CLUSTER';
const input = 'INPUT';

/** kubectl's connection flags, under kubectl's names. */
const connectionFlags = {
  kubeconfig: Flags.string({ helpGroup: connection, summary: 'kubeconfig file to use' }),
  context: Flags.string({ helpGroup: connection, summary: 'kubeconfig context to use' }),
  cluster: Flags.string({ helpGroup: connection, summary: 'kubeconfig cluster to use' }),
  user: Flags.string({ helpGroup: connection, summary: 'kubeconfig user to use' }),
  namespace: Flags.string({
    char: 'n',
    helpGroup: connection,
    summary: 'namespace of the request',
  }),
  server: Flags.string({ char: 's', helpGroup: connection, summary: 'address of the API server' }),
  token: Flags.string({ helpGroup: connection, summary: 'bearer token' }),
  username: Flags.string({ helpGroup: connection, summary: 'user name for basic authentication' }),
  password: Flags.string({ helpGroup: connection, summary: 'password for basic authentication' }),
  as: Flags.string({ helpGroup: connection, summary: 'user to impersonate' }),
  'as-group': Flags.string({
    helpGroup: connection,
    summary: 'group to impersonate; may be repeated',
    ...repeatable,
  }),
  'as-uid': Flags.string({ helpGroup: connection, summary: 'uid to impersonate' }),
  'as-user-extra': Flags.string({
    helpGroup: connection,
    summary: 'extra field to impersonate, key=value; may be repeated',
    ...repeatable,
  }),
  'certificate-authority': Flags.string({ helpGroup: connection, summary: 'CA certificate file' }),
  'client-certificate': Flags.string({ helpGroup: connection, summary: 'client certificate file' }),
  'client-key': Flags.string({ helpGroup: connection, summary: 'client key file' }),
  'insecure-skip-tls-verify': Flags.boolean({
    helpGroup: connection,
    summary: "do not check the server's certificate",
  }),
  'tls-server-name': Flags.string({
    helpGroup: connection,
    summary: "name to check the server's certificate against",
  }),
  'request-timeout': Flags.string({
    helpGroup: connection,
    summary: 'time to wait for one request, as in 30s or 2m; 0 waits for ever',
  }),
  'disable-compression': Flags.boolean({
    helpGroup: connection,
    summary: 'ask for uncompressed answers',
  }),
};

/** Where the snapshot comes from and how the answer is printed. */
export const commonFlags = {
  ...connectionFlags,
  from: Flags.string({
    helpGroup: input,
    summary: 'read files instead of a cluster: a file, a folder, or - for stdin; may be repeated',
    ...repeatable,
  }),
  complete: Flags.boolean({
    helpGroup: input,
    summary: 'the files hold the whole cluster: what is not in them does not exist',
  }),
  now: Flags.string({
    helpGroup: input,
    summary: 'the time to count from, as in 2026-01-31T12:00:00Z',
  }),
  color: Flags.string({
    summary: 'colours: auto (on a terminal), always or never',
    options: ['auto', 'always', 'never'],
    helpValue: 'auto|always|never',
  }),
  'no-color': Flags.boolean({ summary: 'no colours; so does NO_COLOR in the environment' }),
  v: Flags.string({ char: 'v', summary: 'tell more when something fails', helpValue: 'level' }),
};

export const allNamespacesFlag = Flags.boolean({
  char: 'A',
  summary: 'all namespaces',
});

export const selectorFlags = {
  selector: Flags.string({
    char: 'l',
    summary: 'only objects with these labels, as in -l app=web',
  }),
  'field-selector': Flags.string({
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

export const filenameFlag = Flags.string({
  char: 'f',
  summary: 'the objects that a manifest names; may be repeated',
  ...repeatable,
});

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

export function connectionOptions(flags: CommonFlags): ConnectionOptions {
  return {
    kubeconfig: flags.kubeconfig,
    context: flags.context,
    cluster: flags.cluster,
    user: flags.user,
    namespace: flags.namespace,
    server: flags.server,
    token: flags.token,
    username: flags.username,
    password: flags.password,
    as: flags.as,
    asGroup: flags['as-group'],
    asUid: flags['as-uid'],
    asUserExtra: flags['as-user-extra'],
    certificateAuthority: flags['certificate-authority'],
    clientCertificate: flags['client-certificate'],
    clientKey: flags['client-key'],
    insecureSkipTlsVerify: flags['insecure-skip-tls-verify'],
    tlsServerName: flags['tls-server-name'],
    requestTimeout: flags['request-timeout'],
    disableCompression: flags['disable-compression'],
  };
}

/**
 * Lets a flag stand alone, as kubectl's `--cascade`: `bare` is its value then. A following word that is
 * like the pattern `following` is the value all the same. The argument normaliser reads both off the flag.
 */
export function optionalValue<Flag extends object>(
  flag: Flag,
  alone: Required<Pick<FlagShape, 'bare'>> & Pick<FlagShape, 'following'>,
): Flag {
  return Object.assign(flag, alone);
}
