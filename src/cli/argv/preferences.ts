import { existsSync } from 'node:fs';
import { type GcError, usageError } from '../../errors.ts';
import { kubercFile } from '../../files/kuberc/kuberc-file.ts';
import type { Alias, OptionDefault, Preference } from '../../files/kuberc/read-kuberc.ts';
import { parseGoBool } from '../../kube/go-syntax.ts';
import type { CommandManifest } from '../oclif/manifest.ts';
import { writeErr } from '../terminal/streams.ts';
import { flagsByCommand } from './command-line.ts';
import { type ParsedArgv, parseCommandLine } from './normalize-argv.ts';

/**
 * A command line with what the user's kuberc adds to it. kubectl hands a plugin its words as they were
 * typed. What the file says of `delete` counts for `kubectl gc delete`, which stands in for it; what it says
 * of `gc audit` and the like is for the commands here. One look at the disk where there is no such file.
 */
export async function withPreferences(
  argv: readonly string[],
  manifest: readonly CommandManifest[],
): Promise<readonly string[]> {
  const line = parseCommandLine(argv, flagsByCommand(manifest));
  const [word] = line.words;
  if (word === undefined || word === 'help') return argv;
  const given = line.flags.findLast(({ flag }) => flag.name === 'kuberc');
  // Without a value it is refused with the other flags.
  if (given && given.value === undefined) return argv;
  if (given?.value === '') {
    throw usageError('missing-value', 'flag needs an argument: --kuberc', 'See --help.');
  }
  const file = kubercFile(given?.value, { env: process.env, cwd: process.cwd() });
  if (file === undefined || !(file.isNamed || existsSync(file.path))) return argv;
  const { readKuberc } = await import('../../files/kuberc/read-kuberc.ts');
  const preference = await readKuberc(file, (text) => writeErr(`Warning: ${text}`));
  if (preference === undefined) return argv;
  return new Preferences(preference, file.path, manifest).applied(argv, line);
}

class Preferences {
  readonly #preference: Preference;
  readonly #file: string;
  readonly #manifest: readonly CommandManifest[];

  constructor(preference: Preference, file: string, manifest: readonly CommandManifest[]) {
    this.#preference = preference;
    this.#file = file;
    this.#manifest = manifest;
    this.#validate();
  }

  applied(argv: readonly string[], line: ParsedArgv): readonly string[] {
    const [word = ''] = line.words;
    const id = this.#idOf(word);
    if (id !== undefined) return [...this.#defaultsOf(id, line), ...argv];
    const isTopic = this.#manifest.some((command) => command.id.startsWith(`${word}:`));
    const alias = this.#preference.aliases.find(({ name }) => name === word);
    return isTopic || alias === undefined ? argv : this.#expanded(alias, argv);
  }

  /** What kubectl's validate refuses in any kuberc. */
  #validate(): void {
    const { aliases, defaults } = this.#preference;
    const names = aliases.map(({ name }) => name);
    const odd = names.find((name) => !/^[a-zA-Z]+$/.test(name));
    if (odd !== undefined)
      throw this.#invalid(`the alias name "${odd}" has other characters than letters`);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw this.#invalid(`it has two aliases "${twice}"`);
    const dashed = [...aliases, ...defaults]
      .flatMap(({ options }) => options)
      .find(({ name }) => name.startsWith('-'));
    if (dashed) throw this.#invalid(`the flag "${dashed.name}" is to be named without dashes`);
  }

  #idOf(name: string): string | undefined {
    return this.#manifest.find(({ id, aliases }) => [id, ...aliases].includes(name))?.id;
  }

  /** The command here that an entry is about: `gc snapshot save`, or kubectl's `delete`. */
  #commandOf(entry: string): string | undefined {
    const [first, ...rest] = entry.split(/\s+/).filter((word) => word !== '');
    if (first === 'gc') return this.#idOf(rest.join(':'));
    return first === 'delete' && rest.length === 0 ? first : undefined;
  }

  /** Flags that are not given; they stand first, so that what follows them counts. */
  #defaultsOf(id: string, line: ParsedArgv): readonly string[] {
    const options = new Map<string, OptionDefault>();
    const isOwn = (command: string) => /^\s*gc\s/.test(command);
    // What is said of `gc delete` is nearer than what is said of `delete`.
    const entries = this.#preference.defaults.toSorted(
      (a, b) => Number(isOwn(a.command)) - Number(isOwn(b.command)),
    );
    for (const { command, options: set } of entries) {
      const target = this.#commandOf(command);
      if (target === undefined && isOwn(command)) {
        writeErr(`Warning: command "${command}" not found to set kuberc override`);
      }
      if (target === id) for (const option of set) options.set(option.name, option);
    }
    return this.#flags([...options.values()], id, line, `for command ${id.replace(':', ' ')}`);
  }

  #expanded(alias: Alias, argv: readonly string[]): readonly string[] {
    const { name, command, prependArgs, appendArgs, options } = alias;
    const id = this.#commandOf(command);
    if (id === undefined) {
      throw usageError(
        'unknown-command',
        `unknown command "${name}" for "kubectl gc"`,
        `In ${this.#file}, it is an alias of kubectl's command "${command}".`,
      );
    }
    const commands = flagsByCommand(this.#manifest);
    const at = argv.findIndex(
      (_, index) => parseCommandLine(argv.slice(0, index + 1), commands).words.length > 0,
    );
    const before = [...argv.slice(0, at), ...id.split(':')];
    const after = argv.slice(at + 1);
    const line = parseCommandLine([...before, ...after], commands);
    const flags = this.#flags(options, id, line, `in alias ${name}`);
    return [...flags, ...before, ...prependArgs, ...after, ...appendArgs];
  }

  #flags(
    options: readonly OptionDefault[],
    id: string,
    line: ParsedArgv,
    where: string,
  ): readonly string[] {
    const given = new Set(line.flags.map(({ flag }) => flag.name.replace(/^no-/, '')));
    const known = flagsByCommand(this.#manifest)[id] ?? [];
    return options.flatMap(({ name, default: value }) => {
      const flag = known.find((one) => one.name === name);
      if (flag === undefined) throw this.#invalid(`invalid flag ${name} ${where}`);
      if (given.has(name.replace(/^no-/, ''))) return [];
      if (flag.type === 'boolean' && parseGoBool(value) === undefined) {
        throw this.#invalid(`invalid value "${value}" of flag ${name} ${where}`);
      }
      return [`--${name}=${value}`];
    });
  }

  #invalid(fault: string): GcError {
    return usageError(
      'kuberc-invalid',
      `the kuberc ${this.#file} cannot be applied: ${fault}`,
      'Correct it, or set KUBERC=off.',
    );
  }
}
