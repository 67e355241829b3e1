import { aliases, commands } from '../../commands/index.ts';

/** What commands are called, other names among them. */
export const commandNames: readonly string[] = [...Object.keys(commands), ...Object.keys(aliases)];

export async function loadCommand(name: string) {
  const id = aliases[name] ?? name;
  const command = (await commands[id]?.())?.default;
  if (!command) throw new Error(`no command ${id}`);
  // oclif reads it off the class.
  command.id = id;
  return command;
}
