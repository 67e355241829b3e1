import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Can tests that need these programs run? In CI they run, and fail without them; elsewhere they are left out. */
export function hasTools(...names: readonly string[]): boolean {
  return process.env.CI !== undefined || names.every(isInstalled);
}

/** Is there such a program in PATH? */
export function isInstalled(name: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, name)));
}
