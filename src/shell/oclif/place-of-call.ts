import { type CommandPlace, nowhere } from '../../kube/shell-command.ts';
import { commandLine } from '../argv/command-line.ts';
import { commandPlaceOf } from '../flags/command-place.ts';
import type { CommonFlags } from '../flags/flags.ts';

/** Where a command line asks, also where its command came to nothing; nowhere, where it cannot be read. */
export async function placeOfCall(argv: readonly string[]): Promise<CommandPlace> {
  try {
    return commandPlaceOf(flagsIn(await commandLine(argv)));
  } catch {
    return nowhere;
  }
}

/** The flags of a command line as oclif is given it: `--name` or `--name=value`. */
function flagsIn(args: readonly string[]): CommonFlags {
  const end = args.indexOf('--');
  const given = args.slice(0, end < 0 ? undefined : end).flatMap((arg) => {
    const [, name, value = 'true'] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    return name === undefined ? [] : [{ name, value }];
  });
  const values = Map.groupBy(given, ({ name }) => name);
  return Object.fromEntries(
    [...values].map(([name, all]) => {
      const list = all.map(({ value }) => value);
      return [name, list.length > 1 || name === 'from' ? list : list[0]];
    }),
  );
}
