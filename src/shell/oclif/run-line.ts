import { asksForHelp, commandLine } from '../argv/command-line.ts';
import { manifest } from './inlined-manifest.ts';
import { loadCommand, type OclifOptions, oclifOptions } from './plugin.ts';

/** Runs what a command line asks for: a command or help. */
export async function runLine(argv: readonly string[], root: string): Promise<void> {
  const args = commandLine(argv, manifest);
  const options = oclifOptions(root);
  if (asksForHelp(args)) {
    const { showHelp } = await import('./help.ts');
    return showHelp(args, options);
  }
  await runCommand(args, options);
}

/** Without what oclif does before it runs a command: it would look for plugins, themes, folders and the shell, twice. */
async function runCommand([name = '', ...argv]: readonly string[], options: OclifOptions) {
  const described = manifest.find(({ id, aliases }) => id === name || aliases.includes(name));
  const { commandConfig } = await import('./command-config.ts');
  const Command = await loadCommand(described?.id ?? name);
  await new Command(argv, commandConfig(options)).runToEnd();
}
