import { asksForHelp, commandLine } from '../argv/command-line.ts';
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
  const { commandConfig } = await import('./command-config.ts');
  const Command = await loadCommand(name);
  await new Command(others, commandConfig(root)).runToEnd();
}
