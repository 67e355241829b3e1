import { promises as fs } from 'node:fs';
import { exitCodes, GcError } from '../errors.ts';
import { fileBytes } from '../files/file-bytes.ts';
import { unpacked } from '../files/input-bytes.ts';

/** Enough to recognise a document. */
const headLength = 200;

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
  const begins = new RegExp(
    `^\\s*\\{\\s*"apiVersion":\\s*"kubectl-gc/v\\d+",\\s*"kind":\\s*"${kind}"`,
  );
  if (begins.test(await headOf(path))) return;
  throw new GcError(
    `${path} already exists and holds no ${kind.toLowerCase()}: it is left as it is`,
    { code: 'file-exists', exitCode: exitCodes.usage, suggestions: [suggestion] },
  );
}

async function headOf(path: string): Promise<string> {
  let head = '';
  try {
    for await (const bytes of unpacked(fileBytes(path))) {
      head += bytes.toString('utf8');
      if (head.length >= headLength) break;
    }
  } catch {
    // What cannot be unpacked is judged by what could.
  }
  return head;
}
