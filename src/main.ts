import { run } from '@oclif/core/run';
import { handleError } from './cli/handle-error.ts';
import { manifest } from './cli/inlined-manifest.ts';
import { type CommandFlags, normalizeArgv } from './cli/normalize-argv.ts';
import { pjson } from './cli/package-json.ts';
import { rootPlugin } from './cli/plugin.ts';
import { quietBrokenPipes } from './cli/streams.ts';

/** Runs one command line and answers the exit code. `root` is the folder of package.json. */
export async function main(argv: readonly string[], root: string): Promise<number> {
  quietBrokenPipes();
  const verbose = argv.some((arg) => /^(-v|--v)(=?[1-9].*)?$/.test(arg));
  try {
    const args = commandLine(argv);
    const plugins = new Map([[pjson.name, rootPlugin(root)]]);
    await run(args, { root, pjson, plugins, version: pjson.version });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (error) {
    return handleError(error, verbose);
  }
}

/** Joins topics (`snapshot save` → `snapshot:save`), turns `help X` into `X --help`, and normalises flags. */
function commandLine(argv: readonly string[]): string[] {
  const flags: CommandFlags = Object.fromEntries(
    manifest.flatMap(({ id, aliases, flags: shapes }) =>
      [id, ...aliases].map((name) => [name, Object.values(shapes)]),
    ),
  );
  const joined = joinTopic(argv, flags);
  const normal = normalizeArgv(joined, flags);
  if (normal[0] !== 'help') return normal;
  return normal.length === 1 ? ['--help'] : [...joinTopic(normal.slice(1), flags), '--help'];
}

function joinTopic(argv: readonly string[], flags: CommandFlags): string[] {
  const at = argv.findIndex(
    (arg, index) => !arg.startsWith('-') && flags[`${arg}:${argv[index + 1]}`] !== undefined,
  );
  if (at < 0) return [...argv];
  return [...argv.slice(0, at), `${argv[at]}:${argv[at + 1]}`, ...argv.slice(at + 2)];
}
