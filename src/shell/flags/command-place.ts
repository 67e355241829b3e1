import type { CommandPlace } from '../../kube/shell-command.ts';
import type { CommonFlags } from './flags.ts';

type Print = (value: string, name: string) => readonly string[];

const plainly: Print = (value, name) => [`--${name}`, value];

/** How a printed command says which cluster is asked, and as whom. Secrets are to be put in: never what was given. */
const connection = {
  kubeconfig: plainly,
  context: plainly,
  cluster: plainly,
  user: plainly,
  username: plainly,
  as: plainly,
  'as-group': plainly,
  'as-uid': plainly,
  'as-user-extra': plainly,
  'certificate-authority': plainly,
  'client-certificate': plainly,
  'client-key': plainly,
  'tls-server-name': plainly,
  kuberc: plainly,
  // `https://user:password@host` → `https://host`.
  server: (value) => ['--server', value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i, '$1')],
  'insecure-skip-tls-verify': (value) => (value === 'true' ? ['--insecure-skip-tls-verify'] : []),
  token: () => ['--token=TOKEN'],
  password: () => ['--password=PASSWORD'],
} as const satisfies Readonly<Record<string, Print>>;

const ofConnection = Object.entries<Print>(connection) as [keyof typeof connection, Print][];

/** The flags with which a printed command asks the cluster or the files that this call asked. */
export function commandPlaceOf(flags: CommonFlags): CommandPlace {
  const { from = [], complete, now } = flags;
  const files = from.flatMap((path) => ['--from', path]);
  if (from.length > 0 && complete) files.push('--complete');
  if (from.length > 0 && now !== undefined) files.push('--now', now);
  return {
    connection: ofConnection.flatMap(([name, print]) =>
      [flags[name] ?? []].flat().flatMap((value) => print(String(value), name)),
    ),
    files,
  };
}

/** Arguments as oclif takes them, without those that a place has: `--context=live`, `--token=…`. */
export function withoutConnection(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.filter((arg, index) => {
    const [, name = ''] = /^--([^=]+)/.exec(arg) ?? [];
    return !Object.hasOwn(connection, name) || (end >= 0 && index > end);
  });
}
