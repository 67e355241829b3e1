import { constants, createReadStream, openSync, readFileSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { UnreadableInput } from './parsing/parse-json.ts';

/** A file that is read as a whole. */
const mostAtOnce = 1024 * 1024;
/** Enough to keep the event loop out of the way, little enough to be no burden: V8 takes longer texts less fast apart. */
const chunkBytes = 128 * 1024;

/** The bytes of a file, pipe or device; throws what the operating system says. */
export async function* fileBytes(path: string): AsyncGenerator<Buffer> {
  const stats = statSync(path, { throwIfNoEntry: false });
  // Thousands of small manifests are read many times faster without a stream for each.
  if (!stats || (stats.isFile() && stats.size <= mostAtOnce)) yield readFileSync(path);
  else if (stats.isFIFO()) yield* streamBytes(await pipeStream(path));
  else yield* streamBytes(createReadStream(path, { highWaterMark: chunkBytes }));
}

/** A pipe as sockets are read: a thread that waits for its other end could not be ended by Ctrl-C. */
async function pipeStream(path: string): Promise<Readable> {
  const { Socket } = await import('node:net');
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  return new Socket({ fd, readable: true, writable: false });
}

/** The bytes of a stream, whatever its encoding is set to. */
export async function* streamBytes(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
  }
}

/** More is no text that anything here is made of, and would fill the memory. */
const longestText = 128 * 1024 * 1024;

/** All bytes of a file, or of standard input (`-`); throws UnreadableInput where they are too many. */
export async function readWhole(path: string, stdin?: Readable): Promise<Buffer> {
  // Node opens its standard input when it is first asked for, which takes some milliseconds.
  return allBytes(path === '-' ? streamBytes(stdin ?? process.stdin) : fileBytes(path));
}

/** The same of a file that a program wrote: a pipe or device in its place is refused, not waited for. */
export async function readWrittenFile(path: string): Promise<Buffer> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile() && !stats.isDirectory())
    throw new UnreadableInput('it is not a file');
  return readWhole(path);
}

/** All bytes in one; throws UnreadableInput where they are too many. */
export async function allBytes(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > longestText) throw new UnreadableInput('it is longer than 128 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Why an input cannot be read, in words; undefined when that is not what the error is about. */
export function reasonUnreadable(error: unknown): string | undefined {
  if (error instanceof UnreadableInput) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return undefined;
  return systemReasons[code] ?? `the system reports ${code}`;
}

const systemReasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
};
