import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where backups go, instead of the home folder of this machine. */
export const backups = join(root, 'node_modules', '.cache', 'backups');

/** What a command line printed, and its exit code. */
export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The words of a command line without quotes. */
export function wordsOf(line: string): string[] {
  return line.split(' ').filter((word) => word !== '');
}
