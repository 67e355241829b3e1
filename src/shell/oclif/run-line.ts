import {
  type CommandPlace,
  nowhere,
  shellCommand,
  suggested,
} from '../../command-line/shell-command.ts';
import { commandNames, loadCommand } from '../../commands/index.ts';
import { type GcError, usageError } from '../../errors.ts';
import { nearestName } from '../../kube/names.ts';
import {
  commandIn,
  type FlagShape,
  joinTopic,
  normalizeArgv,
  parseArgv,
  unknownFlags,
  valuesIn,
} from '../argv/normalize-argv.ts';
import { commandPlaceOf, commonFlags } from '../flags/flags.ts';
import { conceptOf } from './glossary.ts';

/** Runs what a command line asks for: a command or help. `root` is the folder of package.json. */
export async function runLine(argv: readonly string[], root: string): Promise<void> {
  const args = await commandLine(argv);
  if (asksForHelp(args)) {
    const [{ showHelp }, { manifest }] = await Promise.all([
      import('./help.ts'),
      import('./inlined-manifest.ts'),
    ]);
    return showHelp(args, root, manifest);
  }
  const [name = '', ...others] = args;
  const { commandConfig } = await import('./package-json.ts');
  const Command = await loadCommand(name);
  await new Command(others, commandConfig(root)).runToEnd();
}

/** Where a command line asks, also where its command came to nothing; nowhere, where it cannot be read. */
export async function placeOfCall(argv: readonly string[]): Promise<CommandPlace> {
  try {
    const args = await commandLine(argv);
    return commandPlaceOf(valuesIn(parseArgv(args, shapesOf(commonFlags))));
  } catch {
    return nowhere;
  }
}

/**
 * What oclif is to run: flags normalised, topics joined (`snapshot save` → `snapshot:save`),
 * `help X` turned into `X --help`. A command that does not exist is refused here, by the word that was typed.
 */
async function commandLine(argv: readonly string[]): Promise<string[]> {
  const shared = shapesOf(commonFlags);
  const draft = parseArgv(argv, shared);
  const named = commandIn(draft.words, commandNames);
  // No command is loaded to explain it.
  const isAsked = draft.words[0] === 'help' || draft.flags.some(({ flag }) => flag.name === 'help');
  const shapes = named && !isAsked ? await flagsOf(named) : shared;
  const normal = normalizeArgv(argv, shapes);
  const isHelp = normal[0] === 'help';
  const args = [...joinTopic(isHelp ? normal.slice(1) : normal, commandNames)];
  if (isHelp && !args.includes('--help')) args.push('--help');
  const [first] = args;
  if (first === undefined || first.startsWith('-')) return withoutCommand(args);
  if (isHelp && !commandNames.includes(first) && conceptOf(first)) return args;
  const { unknown } = parseArgv(argv, shapes);
  if (!commandNames.includes(first)) return withoutKnownCommand(args, argv, unknown, shapes);
  if (unknown.length > 0 && !isAsked) throw unknownFlags(unknown, shapes);
  return args;
}

async function flagsOf(command: string): Promise<FlagShape[]> {
  const { baseFlags, flags } = await loadCommand(command);
  return shapesOf({ ...baseFlags, ...flags });
}

function shapesOf(flags: Readonly<Record<string, object>>): FlagShape[] {
  return Object.entries(flags).map(([name, flag]) => ({ ...flag, name }) as FlagShape);
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.length === 0 || args.slice(0, end < 0 ? undefined : end).includes('--help');
}

const seeCommands = suggested('See the commands', shellCommand`kubectl gc --help`);

/** Only flags: help and version answer alone, everything else waits for a command. */
function withoutCommand(args: readonly string[]): string[] {
  const [first] = args;
  if (first === undefined) return [];
  if (args.includes('--help')) return args.includes('--all') ? ['--help', '--all'] : ['--help'];
  // A lone -v means the version, as elsewhere; kubectl's is the level of a log.
  if (args.includes('--version') || `${args}` === '--v=1') return ['version'];
  throw usageError('no command was given', [seeCommands]);
}

/** A topic alone is to be explained; throws where it is none. */
function withoutKnownCommand(
  args: readonly string[],
  argv: readonly string[],
  [strange]: readonly string[],
  shapes: readonly FlagShape[],
): string[] {
  const [word = '', following = ''] = args;
  // A word behind an unknown flag may be its value, and a secret.
  const faultOf = (about: string, fault: GcError) =>
    strange !== undefined && argv.indexOf(strange) < argv.indexOf(about)
      ? unknownFlags([strange], shapes)
      : fault;
  const inTopic = commandNames.filter((name) => name.startsWith(`${word}:`));
  if (inTopic.length === 0) throw faultOf(word, unknownCommand(word));
  if (following === '' || following.startsWith('-')) return [...args, '--help'];
  const commands = inTopic.map((name) => name.replace(':', ' '));
  const fault = usageError(`unknown command "${following}" for "kubectl gc ${word}"`, [
    `Commands are: ${commands.join(', ')}`,
  ]);
  throw faultOf(following, fault);
}

/** Names the command or topic that a mistyped word was probably meant to be, as it is typed (`snapshot save`). */
function unknownCommand(word: string): GcError {
  const names = commandNames.flatMap((name) => [name, name.split(':')[0] ?? name]);
  const near = nearestName(word, names)?.replaceAll(':', ' ');
  return usageError(`unknown command "${word}" for "kubectl gc"`, [
    near ? suggested('Did you mean', shellCommand`kubectl gc ${near.split(' ')}`) : seeCommands,
  ]);
}
