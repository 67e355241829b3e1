import { constants, createReadStream, readFileSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Enough to keep the event loop out of the way, little enough to be no burden. */
const chunkBytes = 1024 * 1024;

/** Receives what is waited for. */
export type Remark = (line: string) => void;

/** The bytes of a file, pipe or device; throws what the operating system says. */
export async function* fileBytes(path: string, remark?: Remark): AsyncGenerator<Buffer> {
  const stats = statSync(path, { throwIfNoEntry: false });
  // Thousands of small manifests are read many times faster without a stream for each.
  if (!stats || (stats.isFile() && stats.size <= chunkBytes)) yield readFileSync(path);
  else if (stats.isFile()) {
    yield* streamBytes(createReadStream(path, { highWaterMark: chunkBytes }));
  } else yield* specialFileBytes(path, stats.isFIFO(), remark);
}

const firstRemark = 10_000;
const pollEvery = 50;
const endSignals = ['SIGINT', 'SIGTERM'] as const;

/**
 * A pipe or device, without blocking: a thread that waits for the other end of a pipe cannot be ended by
 * Ctrl-C. A named pipe is waited for until something writes to it.
 */
async function* specialFileBytes(
  path: string,
  isPipe: boolean,
  remark: Remark | undefined,
): AsyncGenerator<Buffer> {
  const { open } = await import('node:fs/promises');
  const { setTimeout: delay } = await import('node:timers/promises');
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  // The other end of an unnamed pipe, as a shell makes it, was there from the beginning.
  let isAwaited = isPipe && !/^\/(dev|proc)\//.test(path);
  const say = () => remark?.(`Waiting for something to write to the pipe ${path}`);
  const timer = setTimeout(say, firstRemark).unref();
  let isInterrupted = false;
  const onSignal = (signal: NodeJS.Signals) => {
    isInterrupted = true;
    // Where nothing else listens, the process ends as if this did not either.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  for (const signal of endSignals) process.once(signal, onSignal);
  try {
    while (!isInterrupted) {
      const chunk = await readNow(file);
      if (chunk === undefined || (chunk.length === 0 && isAwaited)) {
        // Without data, but with a writer.
        if (chunk === undefined) isAwaited = false;
        await delay(pollEvery);
        continue;
      }
      if (chunk.length === 0) return;
      clearTimeout(timer);
      isAwaited = false;
      yield chunk;
    }
    throw new Error('reading was interrupted');
  } finally {
    for (const signal of endSignals) process.off(signal, onSignal);
    clearTimeout(timer);
    await file.close();
  }
}

/** What can be read at once: nothing at the end; undefined where there may be more later. */
async function readNow(file: FileHandle): Promise<Buffer | undefined> {
  const buffer = Buffer.allocUnsafe(64 * 1024);
  try {
    const { bytesRead } = await file.read(buffer);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

/** The bytes of a stream, whatever its encoding is set to. */
export async function* streamBytes(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
  }
}

/** More is no text that anything here is made of, and would fill the memory. */
const longestText = 128 * 1024 * 1024;

/** All bytes of a file, or of standard input (`-`); throws NotText where they are too many. */
export async function readWhole(
  path: string,
  stdin: Readable = process.stdin,
  remark?: Remark,
): Promise<Buffer> {
  return together(path === '-' ? streamBytes(stdin) : fileBytes(path, remark));
}

/** The same of a file that a program wrote: a pipe or device in its place is refused, not waited for. */
export async function readWrittenFile(path: string): Promise<Buffer> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile() && !stats.isDirectory()) throw new NotText('it is not a file');
  return readWhole(path);
}

/** All bytes in one; throws NotText where they are too many. */
export async function together(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > longestText) throw new NotText('it is longer than 128 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Nothing in the input can be read as text. */
export class NotText extends Error {
  override readonly name: string = 'NotText';
}

/** Why an input cannot be read, in words; undefined when that is not what the error is about. */
export function reasonUnreadable(error: unknown): string | undefined {
  if (error instanceof NotText) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'it does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ELOOP':
      return 'its symbolic links form a loop';
    default:
      return typeof code === 'string' ? `the system reports ${code}` : undefined;
  }
}
