import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { streamBytes } from './file-bytes.ts';

/** Enough to recognise a document. */
const headLength = 200;

/** Do bytes, compressed or not, begin as a document that kubectl gc wrote? */
export async function beginsAs(
  kind: 'Plan' | 'Snapshot',
  bytes: AsyncIterable<Buffer>,
): Promise<boolean> {
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

/** Does a file, or standard input (`-`), begin as a saved snapshot does? What it holds can still be read. */
export async function holdsSavedSnapshot(path: string, stdin: Readable): Promise<boolean> {
  if (path === '-') return beginsAs('Snapshot', peeked(stdin));
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return false;
  return beginsAs('Snapshot', streamBytes(createReadStream(path, { end: 64 * 1024 })));
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
