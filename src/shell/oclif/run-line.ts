import { homeDirectory } from '../../files/home-directory.ts';
import { asksForHelp, commandLine } from '../argv/command-line.ts';
import { loadCommand, type OclifOptions, oclifOptions } from './plugin.ts';

/** Runs what a command line asks for: a command or help. */
export async function runLine(argv: readonly string[], root: string): Promise<void> {
  // oclif asks the system for a home and fails where there is none; an empty one is none.
  if (homeDirectory() === undefined) process.env.HOME = '';
  const args = await commandLine(argv);
  if (asksForHelp(args)) {
    const [{ showHelp }, { manifest }] = await Promise.all([
      import('./help.ts'),
      import('./inlined-manifest.ts'),
    ]);
    return showHelp(args, oclifOptions(root, manifest));
  }
  await runCommand(args, oclifOptions(root));
}

/** Without what oclif does before it runs a command: it would look for plugins, themes, folders and the shell, twice. */
async function runCommand([name = '', ...argv]: readonly string[], options: OclifOptions) {
  const { commandConfig } = await import('./command-config.ts');
  const Command = await loadCommand(name);
  await new Command(argv, commandConfig(options)).runToEnd();
}
