import { exitCodes, isGcError } from './errors.ts';
import { completionRequest } from './shell/completion/kubectl-script.ts';
import { quietBrokenPipes } from './shell/terminal/streams.ts';

/**
 * Runs one command line and answers the exit code. Whatever else ends the process until then, it has failed:
 * what was cut off must not count as done.
 */
export async function main(argv: readonly string[], root: string): Promise<number> {
  const fail = async (error: unknown) => {
    process.exit(await report(error, argv));
  };
  const runDry = () => fail(new Error('exited before the command finished'));
  process.once('beforeExit', runDry).once('uncaughtException', fail);
  try {
    return await run(argv, root);
  } finally {
    process.off('beforeExit', runDry).off('uncaughtException', fail);
  }
}

const versionRequests: ReadonlySet<string | undefined> = new Set(['--version', 'version']);

/** `root` is the folder of package.json. */
async function run(argv: readonly string[], root: string): Promise<number> {
  quietBrokenPipes();
  try {
    // People wait for the Tab key, and scripts ask for the version to see whether the program is there: neither
    // needs what commands need.
    if (argv[0] === completionRequest) {
      const { answerCompletion } = await import('./shell/completion/answer.ts');
      await answerCompletion(argv.slice(1));
    } else if (argv.length === 1 && versionRequests.has(argv[0])) {
      await (await import('./shell/version.ts')).printVersion();
    } else {
      const { runLine } = await import('./shell/oclif/run-line.ts');
      await runLine(argv, root);
    }
    return exitCodes.ok;
  } catch (error) {
    return report(error, argv);
  }
}

/** Says what went wrong; answers the exit code. Few errors suggest a command that needs the flags of the call. */
async function report(error: unknown, argv: readonly string[]): Promise<number> {
  const { handleError } = await import('./shell/oclif/handle-error.ts');
  const suggests = isGcError(error) && error.advice.some((one) => typeof one !== 'string');
  if (!suggests) return handleError(error, isVerbose(argv));
  const { placeOfCall } = await import('./shell/oclif/run-line.ts');
  return handleError(error, isVerbose(argv), await placeOfCall(argv));
}

function isVerbose(argv: readonly string[]): boolean {
  return argv.some((arg) => /^(-v|--v)(=?[1-9].*)?$/.test(arg));
}
