import type { CommandManifest } from '../oclif/manifest.ts';

type Flag = CommandManifest['flags'][string];

/** What may stand at a place of the command line. */
export type Values =
  | { readonly from: 'list'; readonly list: readonly string[] }
  | { readonly from: 'objects'; readonly names: boolean }
  | { readonly from: Source }
  | { readonly from: 'files' | 'nowhere' };

/** Where values are looked up. */
export type Source =
  | 'namespaces'
  | 'nodes'
  | 'contexts'
  | 'clusters'
  | 'users'
  | 'rules'
  | 'collectors';

const nowhere: Values = { from: 'nowhere' };
const files: Values = { from: 'files' };

/** Flags whose values the manifest does not list. */
const ofFlag: Readonly<Record<string, Values>> = {
  namespace: { from: 'namespaces' },
  context: { from: 'contexts' },
  cluster: { from: 'clusters' },
  user: { from: 'users' },
  rule: { from: 'rules' },
  'skip-rule': { from: 'rules' },
  explain: { from: 'rules' },
  collector: { from: 'collectors' },
  delete: { from: 'objects', names: true },
  kind: { from: 'objects', names: false },
  'delete-node': { from: 'nodes' },
  kubeconfig: files,
  'certificate-authority': files,
  'client-certificate': files,
  'client-key': files,
  from: files,
  filename: files,
  kustomize: files,
  scenario: files,
  settings: files,
};

/** The values of a flag: those that its help lists, else by its name. */
export function valuesOfFlag(flag: Flag): Values {
  if (flag.type === 'boolean') return { from: 'list', list: ['true', 'false'] };
  const { options, helpValue } = flag;
  if (options !== undefined) return { from: 'list', list: options };
  if (typeof helpValue === 'string') {
    if (/^[a-z-]+(\|[a-z-]+)+$/.test(helpValue))
      return { from: 'list', list: helpValue.split('|') };
    if (/^(FILE|DIR|PATH)$/.test(helpValue)) return files;
  }
  return (Object.hasOwn(ofFlag, flag.name) ? ofFlag[flag.name] : undefined) ?? nowhere;
}

const placeholders: Readonly<Record<string, Values>> = {
  NODE: { from: 'nodes' },
  FILE: files,
  DIR: files,
  BACKUP: files,
};

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
