import { once } from 'node:events';
import { promises as fs, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { exitCodes, GcError } from '../errors.ts';
import { fileBytes } from './input-bytes.ts';

/** Enough to recognise a document. */
const headLength = 200;

/** Do bytes, compressed or not, begin as a document that kubectl gc wrote? */
async function beginsAs(kind: 'Plan' | 'Snapshot', bytes: AsyncIterable<Buffer>): Promise<boolean> {
  // To write such a document takes nothing else of what reads files.
  const { unpacked } = await import('./input-bytes.ts');
  let head = '';
  try {
    for await (const chunk of unpacked(bytes)) {
      head += chunk.toString('utf8');
      if (head.length >= headLength) break;
    }
  } catch {
    // What cannot be unpacked is judged by what could; those who read it all say what is wrong.
  }
  return new RegExp(
    `^\\s*\\{\\s*"apiVersion":\\s*"kubectl-gc/v\\d+",\\s*"kind":\\s*"${kind}"`,
  ).test(head);
}

/** Does a file, or standard input (`-`), begin as a saved snapshot does? Its content can still be read afterwards. */
export async function holdsSavedSnapshot(path: string, stdin: Readable): Promise<boolean> {
  if (path === '-') return beginsAs('Snapshot', peeked(stdin));
  return (await fileThere(path)) !== undefined && beginsAs('Snapshot', fileBytes(path));
}

/** Undefined where there is none, or something else. */
async function fileThere(path: string): Promise<Stats | undefined> {
  const stats = await fs.stat(path).catch(() => undefined);
  return stats?.isFile() ? stats : undefined;
}

/** What has come first; it is put back. */
async function* peeked(stream: Readable): AsyncGenerator<Buffer> {
  let chunk = stream.read();
  while (chunk === null && !stream.readableEnded) {
    await Promise.race([once(stream, 'readable'), once(stream, 'end')]);
    chunk = stream.read();
  }
  if (chunk === null) return;
  stream.unshift(chunk);
  yield Buffer.from(chunk);
}

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
  const file = await fileThere(path);
  if (!file || file.size === 0 || (await beginsAs(kind, fileBytes(path)))) return;
  throw new GcError(`${path} already exists and is no ${kind.toLowerCase()}: it was not changed`, {
    code: 'file-exists',
    exitCode: exitCodes.usage,
    suggestions: [suggestion],
  });
}
