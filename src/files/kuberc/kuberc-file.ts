import { join, resolve } from 'node:path';
import { usageError } from '../../errors.ts';
import { kubeDirectory } from '../home-directory.ts';

/** What decides besides the flag. */
interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here. */
  readonly cwd: string;
}

export interface KubercFile {
  readonly path: string;
  /** Named by `--kuberc` or $KUBERC: it must be there, and must be readable. */
  readonly isNamed: boolean;
}

/** The kuberc that counts, as kubectl's LoadKuberc finds it; undefined where the environment turns it off. */
export function kubercFile(
  flag: string | undefined,
  { env, cwd }: Surroundings,
): KubercFile | undefined {
  if (env.KUBECTL_KUBERC?.toLowerCase() === 'false') return undefined;
  if (env.KUBERC === 'off') {
    if (flag === undefined) return undefined;
    throw usageError(
      'kuberc-off',
      'KUBERC=off and --kuberc contradict each other',
      'Unset KUBERC, or leave out --kuberc.',
    );
  }
  const named = flag || env.KUBERC;
  return named
    ? { path: resolve(cwd, named), isNamed: true }
    : { path: join(kubeDirectory(env), 'kuberc'), isNamed: false };
}
