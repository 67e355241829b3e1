import { usageError } from '../../errors.ts';
import { type CommandFlags, parseCommandLine } from './normalize-argv.ts';

/**
 * A command line of `delete` with the flags that the user's kuberc sets for `kubectl delete`, before those
 * that were given: a user who made `--interactive` the default there relies on it. Mirrors applyOverrides of
 * kubectl's pkg/kuberc.
 */
export async function withKubercDefaults(
  argv: readonly string[],
  commands: CommandFlags,
): Promise<readonly string[]> {
  const { flags } = parseCommandLine(argv, commands);
  const given = new Set(flags.map(({ flag }) => flag.name));
  const named = flags.findLast(({ flag }) => flag.name === 'kuberc')?.value;
  const [{ processEnvironment }, { defaultsFor, readKuberc }] = await Promise.all([
    import('../../cluster/connection/client-environment.ts'),
    import('../../cluster/connection/kuberc.ts'),
  ]);
  const environment = processEnvironment();
  const env = named ? { ...environment.env, KUBERC: named } : environment.env;
  const kuberc = await readKuberc({ ...environment, env });
  const defaults = kuberc ? defaultsFor('delete', kuberc.preference) : [];
  const known = new Set(commands.delete?.map(({ name }) => name));
  const missing = defaults.filter((flag) => {
    const name = flag.slice(2, flag.indexOf('='));
    if (!known.has(name)) {
      const message = `the kuberc ${kuberc?.file} sets the flag --${name}, which delete does not have`;
      throw usageError('kuberc-invalid', message, 'Correct the file, or set KUBERC=off.');
    }
    return !given.has(name);
  });
  return [...missing, ...argv];
}
