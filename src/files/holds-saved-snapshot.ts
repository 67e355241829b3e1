import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { streamBytes } from './file-bytes.ts';
import { beginsAs } from './own-document.ts';

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
