import { type CommandPlace, nowhere } from '../../kube/shell-command.ts';
import { commandLine, shapesOf } from '../argv/command-line.ts';
import { parseArgv, valuesIn } from '../argv/normalize-argv.ts';
import { commandPlaceOf } from '../flags/command-place.ts';
import { commonFlags } from '../flags/flags.ts';

/** Where a command line asks, also where its command came to nothing; nowhere, where it cannot be read. */
export async function placeOfCall(argv: readonly string[]): Promise<CommandPlace> {
  try {
    const args = await commandLine(argv);
    return commandPlaceOf(valuesIn(parseArgv(args, shapesOf(commonFlags))));
  } catch {
    return nowhere;
  }
}
