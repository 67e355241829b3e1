import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Undefined where there is none: the user of a container need not be in /etc/passwd, nor HOME set. */
export function homeDirectory(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  if (env.HOME) return resolve(env.HOME);
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}

/** `~/.kube`, from the environment's own HOME so that a changed HOME counts. */
export function kubeDirectory(env: Readonly<Record<string, string | undefined>>): string {
  return join(process.platform === 'win32' ? homedir() : (env.HOME ?? ''), '.kube');
}
