import { createReadStream, readFileSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** Enough to keep the event loop out of the way, little enough to be no burden. */
const chunkBytes = 1024 * 1024;

/** The bytes of a file or pipe; throws what the operating system says. */
export async function* fileBytes(path: string): AsyncGenerator<Buffer> {
  const stats = statSync(path);
  // Thousands of small manifests are read many times faster without a stream for each.
  if (stats.isFile() && stats.size <= chunkBytes) yield readFileSync(path);
  else yield* streamBytes(createReadStream(path, { highWaterMark: chunkBytes }));
}

/** The bytes of a stream, whatever its encoding is set to. */
export async function* streamBytes(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
  }
}
