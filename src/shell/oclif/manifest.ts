import type { Command } from '@oclif/core/command';
import { aliases, commands } from '../../commands/index.ts';

/** What help and the argument normaliser need of a command without loading it. */
export type CommandManifest = Awaited<ReturnType<typeof describeCommands>>[number];

/** Reads the static parts of every command. The build calls this once and inlines the answer. */
export async function describeCommands() {
  return Promise.all(
    Object.entries(commands).map(async ([id, load]) => {
      const { default: command } = await load();
      const { args = {}, strict, baseFlags, flags, ...texts } = command;
      return {
        id,
        aliases: Object.keys(aliases).filter((name) => aliases[name] === id),
        args: withNames(args) as Command.Loadable['args'],
        strict: strict as boolean | undefined,
        description: texts.description,
        summary: texts.summary,
        usage: texts.usage,
        examples: texts.examples,
        flags: withNames({ ...baseFlags, ...flags }) as Command.Loadable['flags'],
      };
    }),
  );
}

/** Drops parsers and defaults computed by functions, which cannot be written down. */
function withNames(parts: Record<string, object>): Record<string, object> {
  const plain = Object.entries(parts).map(([name, part]) => {
    const kept = Object.entries(part).filter(([, value]) => typeof value !== 'function');
    return [name, { ...Object.fromEntries(kept), name }];
  });
  return Object.fromEntries(plain);
}
