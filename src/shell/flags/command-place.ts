import type { CommandPlace } from '../../kube/shell-command.ts';
import type { CommonFlags } from './flags.ts';

/** They say which cluster is asked, and as whom. */
const plain = [
  'kubeconfig',
  'context',
  'cluster',
  'user',
  'username',
  'as',
  'as-group',
  'as-uid',
  'as-user-extra',
  'certificate-authority',
  'client-certificate',
  'client-key',
  'tls-server-name',
  'kuberc',
] as const;

/** Printed commands name what has to be put in, and never what was given. */
const secret = { token: 'TOKEN', password: 'PASSWORD' } as const;

/** The flags with which a printed command asks the cluster or the files that this call asked. */
export function commandPlaceOf(flags: CommonFlags): CommandPlace {
  const { server, from } = flags;
  return {
    connection: [
      ...plain.flatMap((name) =>
        [flags[name] ?? []].flat().flatMap((value) => [`--${name}`, value]),
      ),
      ...(server === undefined ? [] : ['--server', withoutUserInfo(server)]),
      ...(flags['insecure-skip-tls-verify'] ? ['--insecure-skip-tls-verify'] : []),
      ...(['token', 'password'] as const).flatMap((name) =>
        flags[name] === undefined ? [] : [`--${name}=${secret[name]}`],
      ),
    ],
    files: from
      ? [
          ...from.flatMap((path) => ['--from', path]),
          ...(flags.complete ? ['--complete'] : []),
          ...(flags.now === undefined ? [] : ['--now', flags.now]),
        ]
      : [],
  };
}

const ofConnection = new Set<string>([
  ...plain,
  ...Object.keys(secret),
  'server',
  'insecure-skip-tls-verify',
]);

/** Arguments as oclif takes them, without those that a place has: `--context=live`, `--token=…`. */
export function withoutConnection(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.filter((arg, index) => {
    const [, name = ''] = /^--([^=]+)/.exec(arg) ?? [];
    return !ofConnection.has(name) || (end >= 0 && index > end);
  });
}

/** `https://user:password@host` → `https://host`. */
function withoutUserInfo(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, '$1');
}
