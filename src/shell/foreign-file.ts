import { promises as fs } from 'node:fs';
import { exitCodes, GcError } from '../errors.ts';
import { fileBytes } from '../files/file-bytes.ts';
import { beginsAs } from '../files/own-document.ts';

/**
 * A document takes the place of an earlier one of its kind, but of nothing else: a manifest would be
 * lost. What cannot be read may be anything, and is left as it is too.
 */
export async function refuseForeignFile(
  path: string,
  kind: 'Plan' | 'Snapshot',
  suggestion: string,
): Promise<void> {
  // What is not a plain file is noticed when it is written to.
  const stat = await fs.stat(path).catch(() => undefined);
  if (!stat?.isFile() || stat.size === 0) return;
  if (await beginsAs(kind, fileBytes(path))) return;
  throw new GcError(
    `${path} already exists and holds no ${kind.toLowerCase()}: it is left as it is`,
    { code: 'file-exists', exitCode: exitCodes.usage, suggestions: [suggestion] },
  );
}
