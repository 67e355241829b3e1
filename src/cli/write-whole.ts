import { rename, rm, writeFile } from 'node:fs/promises';
import { errorMessage, GcError } from '../errors.ts';

/** Replaces the file as a whole, so that a reader or an interrupted run never meets half of it. */
export async function writeWhole(path: string, text: string, what: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true });
    throw new GcError(`cannot write ${what} ${path}: ${errorMessage(cause)}`, {
      code: 'cannot-write',
      cause,
    });
  }
}
