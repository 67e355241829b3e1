import type { CommandPlace } from '../../command-line/shell-command.ts';
import type { CommonFlags } from './flags.ts';

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
