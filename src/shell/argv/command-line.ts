import { type GcError, usageError } from '../../errors.ts';
import { nearestName } from '../../kube/names.ts';
import { shellCommand, suggested } from '../../kube/shell-command.ts';
import type { CommandManifest } from '../oclif/manifest.ts';
import { type CommandFlags, flagsOf, normalizeArgv } from './normalize-argv.ts';

/**
 * What oclif is to run: flags normalised, topics joined (`snapshot save` → `snapshot:save`),
 * `help X` turned into `X --help`. A command that does not exist is refused here, by the word that was typed.
 */
export function commandLine(
  argv: readonly string[],
  manifest: readonly CommandManifest[],
): string[] {
  const flags = flagsByCommand(manifest);
  const normal = normalizeArgv(argv, flags);
  const args = normal[0] === 'help' ? asHelpFlag(normal.slice(1), flags) : normal;
  const [first] = args;
  if (first === undefined || first.startsWith('-')) return withoutCommand(args);
  return isTopic(args, manifest, flags) ? [...args, '--help'] : args;
}

/** The flags of every command, by its id and its aliases; few commands are asked for theirs. */
export function flagsByCommand(manifest: readonly CommandManifest[]): CommandFlags {
  const byCommand = {};
  for (const command of manifest) {
    for (const name of [command.id, ...command.aliases]) {
      const get = () => Object.values(command.flags);
      Object.defineProperty(byCommand, name, { get, enumerable: true });
    }
  }
  return byCommand;
}

function asHelpFlag(words: readonly string[], flags: CommandFlags): string[] {
  return normalizeArgv([...words.filter((word) => word !== '--help'), '--help'], flags);
}

/** Does a command line that is ready to run ask for help? */
export function asksForHelp(args: readonly string[]): boolean {
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

/** A topic alone, which is to be explained, not a command; throws where it is neither. */
function isTopic(
  [word = '', following = '']: readonly string[],
  manifest: readonly CommandManifest[],
  flags: CommandFlags,
): boolean {
  if (flagsOf(flags, word) !== undefined) return false;
  const inTopic = Object.keys(flags).filter((name) => name.startsWith(`${word}:`));
  if (inTopic.length === 0) throw unknownCommand(word, manifest);
  if (following === '' || following.startsWith('-')) return true;
  const commands = inTopic.map((name) => `kubectl gc ${name.replace(':', ' ')}`);
  throw usageError(`unknown command "${following}" for "kubectl gc ${word}"`, [
    `Commands are: ${commands.join(', ')}`,
  ]);
}

/** Names the command or topic that a mistyped word was probably meant to be, as it is typed (`snapshot save`). */
function unknownCommand(word: string, manifest: readonly CommandManifest[]): GcError {
  const names = manifest.flatMap(({ id, aliases }) => [id, id.split(':')[0] ?? id, ...aliases]);
  const near = nearestName(word, names)?.replaceAll(':', ' ');
  return usageError(`unknown command "${word}" for "kubectl gc"`, [
    near ? suggested('Did you mean', shellCommand`kubectl gc ${near.split(' ')}`) : seeCommands,
  ]);
}
