import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { streamBytes } from './file-bytes.ts';
import { unpacked } from './input-bytes.ts';

const beginning = /^\s*\{\s*"apiVersion":\s*"kubectl-gc\/[^"]*",\s*"kind":\s*"Snapshot"/;

/** Does a file, or standard input (`-`), begin as a saved snapshot does? What it holds can still be read. */
export async function holdsSavedSnapshot(path: string, stdin: Readable): Promise<boolean> {
  if (path === '-') return beginsSo(peeked(stdin));
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return false;
  return beginsSo(streamBytes(createReadStream(path, { end: 64 * 1024 })));
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

async function beginsSo(packed: AsyncIterable<Buffer>): Promise<boolean> {
  try {
    for await (const chunk of unpacked(packed))
      return beginning.test(chunk.toString('utf8', 0, 200));
  } catch {
    // Cut off where enough was seen, or not compressed after all: those who read it all say what is wrong.
  }
  return false;
}
