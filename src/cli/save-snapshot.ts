import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, createZstdCompress } from 'node:zlib';
import { GcError } from '../errors.ts';
import { encodeSnapshot } from '../snapshot/encode.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { writeOut } from './streams.ts';

/** Writes a snapshot as it is encoded. A file appears whole or not at all. */
export async function saveSnapshot(snapshot: Snapshot, path: string): Promise<void> {
  if (path === '-') {
    for (const text of encodeSnapshot(snapshot)) await writeOut(text);
    return;
  }
  const partial = `${path}.partial`;
  try {
    const source = Readable.from(encodeSnapshot(snapshot));
    const sink = createWriteStream(partial, { mode: 0o600 });
    const compressor = compressorFor(path);
    await (compressor ? pipeline(source, compressor, sink) : pipeline(source, sink));
    await rename(partial, path);
  } catch (cause) {
    await rm(partial, { force: true });
    throw new GcError(`cannot write ${path}: ${(cause as Error).message}`, {
      code: 'cannot-write',
      cause,
      suggestions: ['Nothing was saved. Name a file in a folder you may write to.'],
    });
  }
}

function compressorFor(path: string): Transform | undefined {
  if (path.endsWith('.gz')) return createGzip();
  if (path.endsWith('.zst')) return createZstdCompress();
  return undefined;
}
