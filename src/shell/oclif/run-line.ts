import { type CommandPlace, nowhere } from '../../kube/shell-command.ts';
import { asksForHelp, commandLine, shapesOf } from '../argv/command-line.ts';
import { parseArgv, valuesIn } from '../argv/normalize-argv.ts';
import { commandPlaceOf } from '../flags/command-place.ts';
import { commonFlags } from '../flags/flags.ts';
import { loadCommand } from './load-command.ts';

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
