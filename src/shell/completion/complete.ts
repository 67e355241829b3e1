import { commandIn, joinTopic, type ParsedArgv, parseArgv } from '../argv/normalize-argv.ts';
import type { CommandManifest } from '../oclif/manifest.ts';

export interface Completion {
  /** The candidates of the word; a description is after a tab, as cobra prints it. */
  readonly candidates: readonly string[];
  /** The names of files fit too; the shell knows them best. */
  readonly files?: boolean;
  /** More of the word follows, so that no space belongs behind it. */
  readonly unfinished?: boolean;
}

export interface Lookup {
  types(): Promise<readonly string[]>;
  names(type: string): Promise<readonly string[]>;
  values(source: Source): Promise<readonly string[]>;
}

const noCandidates: Completion = { candidates: [] };

/** What the last of the typed words, which may be empty, can become. */
export async function complete(
  typed: readonly string[],
  manifest: readonly CommandManifest[],
  lookUp: (line: ParsedArgv) => Lookup,
): Promise<Completion> {
  const word = typed.at(-1) ?? '';
  const before = typed.slice(0, -1);
  const shared = sharedFlags(manifest);
  const ids = manifest.flatMap(({ id, aliases }) => [id, ...aliases]);
  const named = commandIn(parseArgv(before, shared).words, ids);
  const known = manifest.find(({ id, aliases }) => [id, ...aliases].includes(named ?? ''));
  const line = parseArgv(before, known ? Object.values(known.flags) : shared);
  const isHelp = line.words[0] === 'help';
  const [name, ...words] = joinTopic(isHelp ? line.words.slice(1) : line.words, ids);
  const command = name === named ? known : undefined;
  const flags = command ? Object.values(command.flags) : shared;
  const valuesOf = (flag: Flag | undefined, part: string) =>
    flag ? valuesFor(valuesOfFlag(flag), part, words, lookUp(line)) : noCandidates;
  const open = line.flags.find(({ value }) => value === undefined)?.flag.name;
  const opened = flags.find((flag) => flag.name === open);
  if (open !== undefined) return valuesOf(opened, word);
  if (line.rest.length === 0 && word.startsWith('-')) {
    const [written = '', ...value] = word.split('=');
    if (value.length === 0) return fitting(flagNames(flags, line), word);
    const flag = flags.find(({ name, char }) => [`--${name}`, `-${char}`].includes(written));
    return valuesOf(flag, value.join('='));
  }
  if (!command) return fitting(commandNames(line.words, manifest), word);
  return isHelp ? noCandidates : valuesFor(valuesOfArguments(command), word, words, lookUp(line));
}

type Flag = CommandManifest['flags'][string];

/** Flags before the command: those that all commands take. */
function sharedFlags([first, ...others]: readonly CommandManifest[]): readonly Flag[] {
  return Object.values(first?.flags ?? {}).filter(({ name }) =>
    others.every(({ flags }) => Object.hasOwn(flags, name)),
  );
}

function flagNames(flags: readonly Flag[], { flags: given }: ParsedArgv): readonly string[] {
  const used = new Set(given.filter(({ flag }) => !flag.multiple).map(({ flag }) => flag.name));
  const unused = flags.filter(({ name }) => !used.has(name));
  return [
    ...unused.map(({ name, summary }) => `--${name}\t${summary}`),
    ...unused.flatMap(({ char, summary }) => (char ? `-${char}\t${summary}` : [])),
    '--help\tshow help',
  ];
}

/** The commands, or those of a topic that was typed. */
function commandNames(
  words: readonly string[],
  manifest: readonly CommandManifest[],
): readonly string[] {
  const topic = words[0] === 'help' ? words[1] : words[0];
  if (topic !== undefined) {
    return manifest
      .filter(({ id }) => id.startsWith(`${topic}:`))
      .map(({ id, summary }) => `${id.slice(topic.length + 1)}\t${summary}`);
  }
  const commands = manifest.map(({ id, summary }) => {
    const [first = ''] = id.split(':');
    return `${first}\t${first === id ? summary : `commands of ${first}`}`;
  });
  return [...new Set([...commands, 'help\tshow help'])];
}

async function valuesFor(
  values: Values,
  word: string,
  words: readonly string[],
  lookup: Lookup,
): Promise<Completion> {
  if (typeof values !== 'string') return fitting(values, word);
  switch (values) {
    case 'nowhere':
      return noCandidates;
    case 'files':
      return { candidates: [], files: true };
    case 'types':
      return fitting(await lookup.types(), word);
    case 'objects':
      return completedObjects(word, words, lookup);
    case 'namespaces':
    case 'nodes':
      return fitting(await lookup.names(values), word);
    default:
      return fitting(await lookup.values(values), word);
  }
}

/** `TYPE/NAME…` or `TYPE NAME…`. */
async function completedObjects(
  word: string,
  words: readonly string[],
  lookup: Lookup,
): Promise<Completion> {
  const [type = ''] = word.split('/');
  if (word.includes('/')) {
    const names = await lookup.names(type);
    return fitting(
      names.map((name) => `${type}/${name}`),
      word,
    );
  }
  const [first] = words;
  if (first !== undefined && !first.includes('/')) {
    const names = await lookup.names(first);
    return fitting(
      names.filter((name) => !words.includes(name)),
      word,
    );
  }
  const types = await lookup.types();
  if (first === undefined) return fitting(types, word);
  const slashed = types.map((one) => one.replace(/\t|$/, '/$&'));
  return { ...fitting(slashed, word), unfinished: true };
}

function fitting(candidates: readonly string[], word: string): Completion {
  return { candidates: candidates.filter((one) => one.startsWith(word)) };
}

type Values =
  | readonly string[]
  | (Source | 'types' | 'objects' | 'namespaces' | 'nodes' | 'files' | 'nowhere');

/** What is known without a cluster. */
export type Source = 'contexts' | 'clusters' | 'users' | 'rules' | 'collectors';

/** What a word in capitals stands for: the value of a flag, or what a usage names first. */
const placeholders: Readonly<Record<string, Values>> = {
  NAMESPACE: 'namespaces',
  CONTEXT: 'contexts',
  CLUSTER: 'clusters',
  RULE: 'rules',
  ID: 'collectors',
  NODE: 'nodes',
  TYPE: 'types',
  'TYPE/NAME': 'objects',
  FILE: 'files',
  DIR: 'files',
  PATH: 'files',
  BACKUP: 'files',
};

/**
 * The values of a flag: those that its help lists, or names.
 * @internal
 */
export function valuesOfFlag(flag: Flag): Values {
  if (flag.type === 'boolean') return ['true', 'false'];
  const { name, options, helpValue } = flag;
  if (options !== undefined) return options;
  // Who is impersonated with --as is in no kubeconfig.
  if (name === 'user') return 'users';
  const placeholder = String(helpValue ?? '');
  if (/^[a-z-]+(\|[a-z-]+)+$/.test(placeholder)) return placeholder.split('|');
  return placeholders[placeholder] ?? 'nowhere';
}

/**
 * The values of a command's arguments: its options, else what its usage names first.
 * @internal
 */
export function valuesOfArguments({ args, usage }: CommandManifest): Values {
  const [only] = Object.values(args);
  if (only?.options !== undefined) return only.options;
  const words = String(usage ?? '')
    .replace(/(?<![\w-])--?\w[\w-]* [A-Z/=]+/g, '')
    .match(/\b[A-Z_]{2,}\b/g);
  const [first = ''] = words ?? [];
  if (first === 'TYPE') return words?.includes('NAME') ? 'objects' : 'types';
  return placeholders[first] ?? 'nowhere';
}
