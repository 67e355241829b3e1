import type { CommandManifest } from '../oclif/manifest.ts';

type Flag = CommandManifest['flags'][string];

/** What may stand at a place of the command line. */
export type Values =
  | { readonly from: 'list'; readonly list: readonly string[] }
  | { readonly from: 'objects'; readonly names: boolean }
  | { readonly from: Source | 'namespaces' | 'nodes' | 'files' | 'nowhere' };

/** What is known without a cluster. */
export type Source = 'contexts' | 'clusters' | 'users' | 'rules' | 'collectors';

const nowhere: Values = { from: 'nowhere' };
const files: Values = { from: 'files' };

/** What a word in capitals stands for: the value of a flag, or what a usage names first. */
const placeholders: Readonly<Record<string, Values>> = {
  NAMESPACE: { from: 'namespaces' },
  CONTEXT: { from: 'contexts' },
  CLUSTER: { from: 'clusters' },
  RULE: { from: 'rules' },
  ID: { from: 'collectors' },
  NODE: { from: 'nodes' },
  TYPE: { from: 'objects', names: false },
  'TYPE/NAME': { from: 'objects', names: true },
  FILE: files,
  DIR: files,
  PATH: files,
  BACKUP: files,
};

/** The values of a flag: those that its help lists, or names. */
export function valuesOfFlag(flag: Flag): Values {
  if (flag.type === 'boolean') return { from: 'list', list: ['true', 'false'] };
  const { name, options, helpValue } = flag;
  if (options !== undefined) return { from: 'list', list: options };
  // Who is impersonated with --as is in no kubeconfig.
  if (name === 'user') return { from: 'users' };
  const told = String(helpValue ?? '');
  if (/^[a-z-]+(\|[a-z-]+)+$/.test(told)) return { from: 'list', list: told.split('|') };
  return placeholders[told] ?? nowhere;
}

/** The values of a command's arguments: its options, else what its usage names first. */
export function valuesOfArguments({ args, usage }: CommandManifest): Values {
  const [only] = Object.values(args);
  if (only?.options !== undefined) return { from: 'list', list: only.options };
  const words = String(usage ?? '')
    .replace(/--?[\w-]+ [A-Z/=]+/g, '')
    .match(/\b[A-Z_]{2,}\b/g);
  const [first = ''] = words ?? [];
  if (first === 'TYPE') return { from: 'objects', names: words?.includes('NAME') ?? false };
  return placeholders[first] ?? nowhere;
}
