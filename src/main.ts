import { run } from '@oclif/core/run';
import { commandLine } from './cli/command-line.ts';
import { handleError } from './cli/handle-error.ts';
import { manifest } from './cli/inlined-manifest.ts';
import { pjson } from './cli/package-json.ts';
import { rootPlugin } from './cli/plugin.ts';
import { quietBrokenPipes } from './cli/streams.ts';

/** Runs one command line and answers the exit code. `root` is the folder of package.json. */
export async function main(argv: readonly string[], root: string): Promise<number> {
  quietBrokenPipes();
  const verbose = argv.some((arg) => /^(-v|--v)(=?[1-9].*)?$/.test(arg));
  try {
    const args = commandLine(argv, manifest);
    const plugins = new Map([[pjson.name, rootPlugin(root)]]);
    await run(args, { root, pjson, plugins, version: pjson.version });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (error) {
    return handleError(error, verbose);
  }
}
