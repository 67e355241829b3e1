import { homedir } from 'node:os';

/** Undefined where there is none: the user of a container need not be in /etc/passwd, nor HOME set. */
export function homeDirectory(
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  if (env.HOME) return env.HOME;
  try {
    return homedir() || undefined;
  } catch {
    return undefined;
  }
}
