import { usageError } from '../../errors.ts';
import type { CommandFlags } from './normalize-argv.ts';

/**
 * A command line of `delete` with the flags that the user's kuberc sets for `kubectl delete`, before those
 * that were given: a user who made `--interactive` the default there relies on it. Mirrors applyOverrides of
 * kubectl's pkg/kuberc.
 */
export async function withKubercDefaults(
  args: readonly string[],
  commands: CommandFlags,
): Promise<string[]> {
  const [command = '', ...given] = args;
  const end = given.indexOf('--');
  const flags = given.slice(0, end < 0 ? undefined : end);
  const flagValue = (name: string) =>
    flags.findLast((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const [{ processEnvironment }, { defaultsFor, readKuberc }] = await Promise.all([
    import('../../cluster/connection/client-environment.ts'),
    import('../../cluster/connection/kuberc.ts'),
  ]);
  const environment = processEnvironment();
  const named = flagValue('kuberc');
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
    return flagValue(name) === undefined && !flags.includes(`--${name}`);
  });
  return [command, ...missing, ...given];
}
