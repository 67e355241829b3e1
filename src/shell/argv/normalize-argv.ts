import { type GcError, usageError } from '../../errors.ts';
import { nearestName } from '../../kube/names.ts';
import { parseGoBool } from '../../syntax/go-syntax.ts';

export interface FlagShape {
  readonly name: string;
  readonly char?: string | undefined;
  readonly type: 'boolean' | 'option';
  readonly multiple?: boolean | undefined;
  /** The value it has when it stands alone; undefined where it needs one. */
  readonly bare?: string | undefined;
  /** A flag that may stand alone takes a following word only when it is like this pattern. */
  readonly following?: string | undefined;
}

interface ParsedFlag {
  readonly flag: FlagShape;
  /** Undefined where the command line ended too early. */
  readonly value: string | undefined;
  /** As it was written: `-n`. */
  readonly written: string;
}

export interface ParsedArgv {
  readonly words: readonly string[];
  readonly flags: readonly ParsedFlag[];
  readonly unknown: readonly string[];
  /** `--` and all that follows it. */
  readonly rest: readonly string[];
}

/**
 * Rewrites a command line as kubectl users write it into one that oclif reads the same way.
 * kubectl (pflag) takes `--watch=false`, flags before the command, `-n=x`, repeated flags of which the
 * last wins, and a bare `-v`; oclif reads these as true plus a stray argument, as an unknown command,
 * or as an error. The words come first, then the flags.
 */
export function normalizeArgv(argv: readonly string[], shapes: readonly FlagShape[]): string[] {
  const { words, flags, unknown, rest } = parseArgv(argv, shapes);
  return [...words, ...emit(flags), ...unknown, ...rest];
}

/** Names unknown flags, and those that were probably meant; never what stands behind a name, which may be a secret. */
export function unknownFlags(unknown: readonly string[], shapes: readonly FlagShape[]): GcError {
  const names = unknown.map((arg) => /^--[\w-]*/.exec(arg)?.[0] ?? arg.slice(0, 2));
  const known = shapes.map(({ name }) => name);
  // The dashes are alike in all of them: with them --all-namespaces would be close to --namespace.
  const near = names.flatMap((name) =>
    name.startsWith('--') ? (nearestName(name.slice(2), known) ?? []) : [],
  );
  return usageError(`unknown flag: ${names.join(', ')}`, [
    ...near.map((name) => `Did you mean --${name}?`),
    'See --help for the flags and arguments it takes.',
  ]);
}

/** The command that words name. Before it, and behind its topic, may stand values of flags that are known once it is. */
export function commandIn(words: readonly string[], ids: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    if (ids.includes(word)) return word;
    const inTopic = words.slice(at + 1).find((next) => ids.includes(`${word}:${next}`));
    if (inTopic !== undefined) return `${word}:${inTopic}`;
  }
  return undefined;
}

/** `snapshot save` → `snapshot:save`. */
export function joinTopic(words: readonly string[], ids: readonly string[]): readonly string[] {
  const [topic, command, ...args] = words;
  const joined = `${topic}:${command}`;
  return ids.includes(joined) ? [joined, ...args] : words;
}

export function parseArgv(argv: readonly string[], shapes: readonly FlagShape[]): ParsedArgv {
  const known = [help, ...shapes];
  const words: string[] = [];
  const flags: ParsedFlag[] = [];
  const unknown: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] ?? '';
    if (arg === '--') return { words, flags, unknown, rest: argv.slice(i) };
    if (arg.startsWith('--')) {
      const equals = arg.indexOf('=');
      const name = (equals < 0 ? arg.slice(2) : arg.slice(2, equals)).replaceAll('_', '-');
      const flag = known.find((one) => one.name === name);
      const written = `--${name}`;
      if (!flag) unknown.push(arg);
      else if (equals >= 0) flags.push({ flag, value: arg.slice(equals + 1), written });
      else if (flag.type === 'boolean') flags.push({ flag, value: 'true', written });
      else if (standsAlone(flag, argv[i + 1])) flags.push({ flag, value: flag.bare, written });
      else flags.push({ flag, value: argv[++i], written });
    } else if (arg.startsWith('-') && arg.length > 1) {
      const taken = shortFlags(arg, argv[i + 1], known, flags);
      if (taken === undefined) unknown.push(arg);
      else i += taken;
    } else words.push(arg);
  }
  return { words, flags, unknown, rest: [] };
}

/** The values of the flags, as far as they have one: those that may be repeated as lists. */
export function valuesIn({
  flags,
}: Pick<ParsedArgv, 'flags'>): Record<string, string | boolean | string[]> {
  const values = new Map<string, string | boolean | string[]>();
  for (const { flag, value } of flags) {
    if (value === undefined) continue;
    const before = values.get(flag.name);
    if (flag.type === 'boolean') values.set(flag.name, value === 'true');
    else if (!flag.multiple) values.set(flag.name, value);
    else values.set(flag.name, [...(Array.isArray(before) ? before : []), value]);
  }
  return Object.fromEntries(values);
}

/** Parses `-Aw`, `-nshop`, `-n=shop`, `-n shop`; answers how many further words were taken, undefined when a letter is unknown. */
function shortFlags(
  arg: string,
  following: string | undefined,
  known: readonly FlagShape[],
  flags: ParsedFlag[],
): number | undefined {
  const found: ParsedFlag[] = [];
  for (let at = 1; at < arg.length; at++) {
    const char = arg[at] ?? '';
    const flag = known.find((one) => one.char === char);
    if (!flag) return undefined;
    const written = `-${char}`;
    const tail = arg.slice(at + 1);
    const isBoolean = flag.type === 'boolean';
    if (isBoolean && !tail.startsWith('=')) {
      found.push({ flag, value: 'true', written });
      continue;
    }
    if (tail !== '') {
      const value = tail.startsWith('=') ? tail.slice(1) : tail;
      flags.push(...found, { flag, value, written });
      return 0;
    }
    // A bare -v asks for more detail; with a number it is kubectl's log level.
    if (flag.name === 'v' && !/^\d+$/.test(following ?? '')) {
      flags.push(...found, { flag, value: '1', written });
      return 0;
    }
    flags.push(...found, { flag, value: following, written });
    return 1;
  }
  flags.push(...found);
  return 0;
}

function standsAlone({ bare, following }: FlagShape, word: string | undefined): boolean {
  if (bare === undefined) return false;
  return word === undefined || following === undefined || !new RegExp(following).test(word);
}

/** Single flags once, the last one given; repeatable ones as often as given. */
function emit(flags: readonly ParsedFlag[]): string[] {
  const last = new Map(flags.map((parsed) => [parsed.flag.name, parsed]));
  return flags.flatMap((parsed) => {
    const { flag, value, written } = parsed;
    if (value === undefined) {
      throw usageError(`flag needs an argument: ${written}`, ['See --help.']);
    }
    if (!flag.multiple && last.get(flag.name) !== parsed) return [];
    if (flag.type === 'option') return [`--${flag.name}=${value}`];
    return parseBool(flag.name, value) ? [`--${flag.name}`] : [];
  });
}

/** The value of a flag that is true or false, as Go reads it; else a usage error. */
export function parseBool(name: string, value: string): boolean {
  const bool = parseGoBool(value);
  if (bool !== undefined) return bool;
  throw usageError(`invalid argument "${value}" for "--${name}" flag`, [
    `Write --${name} or --${name}=false.`,
  ]);
}

const help: FlagShape = { name: 'help', char: 'h', type: 'boolean' };
