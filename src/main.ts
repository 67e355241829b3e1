import { asksForHelp, commandLine } from './cli/argv/command-line.ts';
import { withPreferences } from './cli/argv/preferences.ts';
import { completionRequest } from './cli/completion/request.ts';
import { handleError } from './cli/oclif/handle-error.ts';
import { manifest } from './cli/oclif/inlined-manifest.ts';
import { pjson } from './cli/oclif/package-json.ts';
import { rootPlugin } from './cli/oclif/plugin.ts';
import { profiled } from './cli/oclif/profile.ts';
import { quietBrokenPipes, writeOut } from './cli/terminal/streams.ts';
import { exitCodes } from './errors.ts';
import { homeDirectory } from './files/home-directory.ts';

/** Runs one command line and answers the exit code. `root` is the folder of package.json. */
export async function main(argv: readonly string[], root: string): Promise<number> {
  quietBrokenPipes();
  // oclif asks the system for a home and fails where there is none; an empty one is none.
  if (homeDirectory() === undefined) process.env.HOME = '';
  const verbose = argv.some((arg) => /^(-v|--v)(=?[1-9].*)?$/.test(arg));
  try {
    if (argv[0] === completionRequest) {
      // Without oclif: people wait for the Tab key.
      const { answerCompletion } = await import('./cli/completion/answer.ts');
      await answerCompletion(argv.slice(1), manifest);
      // Node takes longer to end by itself.
      return process.exit(exitCodes.ok);
    }
    const args = commandLine(await withPreferences(argv, manifest), manifest);
    if (`${args}` === 'version') {
      // Without oclif: scripts and people ask this to see whether the program is there.
      const { versionText } = await import('./cli/version.ts');
      await writeOut(versionText());
      return exitCodes.ok;
    }
    const plugins = new Map([[pjson.name, rootPlugin(root)]]);
    const options = { root, pjson, plugins, version: pjson.version };
    if (asksForHelp(args)) {
      const { showHelp } = await import('./cli/oclif/help.ts');
      await showHelp(args, options);
    } else {
      const { run } = await import('@oclif/core/run');
      await profiled(args, () => run(args, options));
    }
    return exitCodes.ok;
  } catch (error) {
    return handleError(error, verbose);
  }
}
