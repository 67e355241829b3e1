import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const configNames = ['.kubectl-gc.yaml', '.kubectl-gc.yml', '.kubectl-gc.json'];

/**
 * The nearest configuration: in this folder or one above, up to the repository's root or the home
 * folder; else the user's own in $XDG_CONFIG_HOME/kubectl-gc/config.yaml.
 */
export function findConfig(
  folder: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = configNames.map((name) => join(at, name)).find((path) => existsSync(path));
    if (found !== undefined) return found;
    if (existsSync(join(at, '.git')) || at === home || dirname(at) === at) break;
  }
  const own = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'kubectl-gc', 'config.yaml');
  return existsSync(own) ? own : undefined;
}
