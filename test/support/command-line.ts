import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

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
