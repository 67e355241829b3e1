import type { Command } from '@oclif/core/command';
import type { LoadOptions, Plugin } from '@oclif/core/interfaces';
import { aliases, commands } from '../../commands/index.ts';
import type { CommandManifest } from './manifest.ts';
import { pjson } from './package-json.ts';

export type OclifOptions = ReturnType<typeof oclifOptions>;

/** What oclif is started with; `root` is the folder of package.json. Help needs the manifest; a command that runs does not. */
export function oclifOptions(root: string, manifest: readonly CommandManifest[] = []) {
  const plugins = new Map([[pjson.name, rootPlugin(root, manifest)]]);
  return { root, pjson, plugins, version: pjson.version } satisfies LoadOptions;
}

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

/** oclif's root plugin held in memory: nothing is looked up on disk. */
function rootPlugin(root: string, manifest: readonly CommandManifest[]): Plugin {
  return {
    _base: `${pjson.name}@${pjson.version}`,
    alias: pjson.name,
    name: pjson.name,
    version: pjson.version,
    pjson,
    root,
    options: { root },
    type: 'core',
    moduleType: 'module',
    isRoot: true,
    valid: true,
    hasManifest: true,
    hooks: {},
    topics: Object.entries(topicSummaries).map(([name, description]) => ({ name, description })),
    commandsDir: undefined,
    commandIDs: Object.keys(commands),
    commands: manifest.map((command) => ({
      ...command,
      hasDynamicHelp: false,
      pluginAlias: pjson.name,
      pluginName: pjson.name,
      pluginType: 'core',
      load: () => loadCommand(command.id) as unknown as Promise<Command.Class>,
    })),
    findCommand: loadCommand as unknown as Plugin['findCommand'],
    load: async () => undefined,
  };
}

const topicSummaries: Readonly<Record<string, string>> = {
  snapshot: 'How do I save a cluster in a file, look into it, and compare it?',
};
