import { asksForHelp, commandLine } from '../argv/command-line.ts';
import { withPreferences } from '../argv/preferences.ts';
import { manifest } from './inlined-manifest.ts';
import { oclifOptions } from './plugin.ts';
import { profiled } from './profile.ts';

/** Runs what a command line asks for: a command, help, or the version. */
export async function runLine(argv: readonly string[], root: string): Promise<void> {
  const args = commandLine(await withPreferences(argv, manifest), manifest);
  if (`${args}` === 'version') {
    const { printVersion } = await import('../version.ts');
    return printVersion();
  }
  const options = oclifOptions(root);
  if (asksForHelp(args)) {
    const { showHelp } = await import('./help.ts');
    return showHelp(args, options);
  }
  const { run } = await import('@oclif/core/run');
  await profiled(args, () => run(args, options));
}
