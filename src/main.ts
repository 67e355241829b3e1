import { run } from '@oclif/core/run';
import { asksForHelp, commandLine, flagsByCommand } from './cli/argv/command-line.ts';
import { completionRequest } from './cli/completion/request.ts';
import { handleError } from './cli/oclif/handle-error.ts';
import { manifest } from './cli/oclif/inlined-manifest.ts';
import { pjson } from './cli/oclif/package-json.ts';
import { rootPlugin } from './cli/oclif/plugin.ts';
import { profiled } from './cli/oclif/profile.ts';
import { quietBrokenPipes } from './cli/terminal/streams.ts';
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
      const { answerCompletion } = await import('./cli/completion/answer.ts');
      await answerCompletion(argv.slice(1), manifest);
      return exitCodes.ok;
    }
    const args = commandLine(argv, manifest);
    const plugins = new Map([[pjson.name, rootPlugin(root)]]);
    const options = { root, pjson, plugins, version: pjson.version };
    if (asksForHelp(args)) {
      const { showHelp } = await import('./cli/oclif/help.ts');
      await showHelp(args, options);
    } else {
      const line = await withDefaults(args, argv);
      await profiled(line, () => run(line, options));
    }
    return exitCodes.ok;
  } catch (error) {
    return handleError(error, verbose);
  }
}

/** What kubectl's own `delete` takes from the user's kuberc, ours takes too. */
async function withDefaults(args: string[], argv: readonly string[]): Promise<string[]> {
  if (args[0] !== 'delete' && args[0] !== 'cascade-delete') return args;
  const { withKubercDefaults } = await import('./cli/argv/kuberc-defaults.ts');
  return commandLine(await withKubercDefaults(argv, flagsByCommand(manifest)), manifest);
}
