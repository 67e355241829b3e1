import { type GcError, usageError } from '../../errors.ts';
import { nearestName } from '../../kube/names.ts';
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
  checkCommand(args, manifest, flags);
  return args;
}

/** The flags of every command, by its id and its aliases. */
export function flagsByCommand(manifest: readonly CommandManifest[]): CommandFlags {
  return Object.fromEntries(
    manifest.flatMap(({ id, aliases, flags }) =>
      [id, ...aliases].map((name) => [name, Object.values(flags)]),
    ),
  );
}

function asHelpFlag(words: readonly string[], flags: CommandFlags): string[] {
  return normalizeArgv([...words.filter((word) => word !== '--help'), '--help'], flags);
}

/** Only flags: help and version answer alone, everything else waits for a command. */
function withoutCommand(args: readonly string[]): string[] {
  const [first] = args;
  if (first === undefined) return [];
  for (const alone of ['--help', '--version']) if (args.includes(alone)) return [alone];
  throw usageError('no-command', 'no command was given', 'See the commands: kubectl gc --help');
}

function checkCommand(
  [word = '', following = '']: readonly string[],
  manifest: readonly CommandManifest[],
  flags: CommandFlags,
): void {
  if (flagsOf(flags, word) !== undefined || word === 'version') return;
  const inTopic = Object.keys(flags).filter((name) => name.startsWith(`${word}:`));
  if (inTopic.length === 0) throw unknownCommand(word, manifest);
  if (following === '' || following.startsWith('-')) return;
  const commands = inTopic.map((name) => `kubectl gc ${name.replace(':', ' ')}`);
  throw usageError(
    'unknown-command',
    `unknown command "${following}" for "kubectl gc ${word}"`,
    `There is: ${commands.join(', ')}`,
  );
}

/** Names the command or topic that a mistyped word was probably meant to be, as it is typed (`snapshot save`). */
function unknownCommand(word: string, manifest: readonly CommandManifest[]): GcError {
  const names = manifest.flatMap(({ id, aliases }) => [id, id.split(':')[0] ?? id, ...aliases]);
  const near = nearestName(word, names)?.replaceAll(':', ' ');
  return usageError(
    'unknown-command',
    `unknown command "${word}" for "kubectl gc"`,
    near ? `Did you mean: kubectl gc ${near}` : 'See the commands: kubectl gc --help',
  );
}
