import { on } from 'node:events';
import { constants, createReadStream, openSync, readFileSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Gunzip, ZstdDecompress } from 'node:zlib';
import { UnreadableInput } from './parsing/parse-json.ts';

/** A call that meets a fault loses what it has unpacked so far: no more than this. */
const unpackedChunkBytes = 256 * 1024;

const tooMuch = 'it unpacks to more than 600 times its size: unpack it first';
const behind = 'data after the end of the compressed data was not read';

/** The compressed data ended too soon or is damaged; all bytes in front of that were handed out. */
export class TruncatedError extends Error {
  override readonly name = 'TruncatedError';
}

/**
 * Unpacks gzip and zstd, known by their first bytes; passes anything else on. Throws TruncatedError, TrailingDataError, and
 * UnreadableInput where much comes of little: what is made of 30 kB would fill the memory.
 */
export async function* unpacked(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { head, all } = await peeked(packed, 4);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const isZstd = head.length >= 4 && head.readUInt32LE() === 0xfd2fb528;
  if (!isGzip && !isZstd) {
    yield* all;
    return;
  }
  const { createGunzip, createZstdDecompress, zstdCompressSync } = await import('node:zlib');
  const options = { chunkSize: unpackedChunkBytes };
  if (isGzip) yield* throughUnpacker(createGunzip(options), all);
  // Node does not say that the data end within the first four bytes of a frame: no other frame can follow then.
  else yield* throughUnpacker(createZstdDecompress(options), all, zstdCompressSync(''));
}

/** Lists of objects that differ in no more than name and uid are packed to a hundredth. */
const mostTimesPacked = 600;
/** So much may come of anything. */
const alwaysUnpacked = 16 * 1024 * 1024;

/** The first bytes of an input, and the whole input. */
interface Peeked {
  readonly head: Buffer;
  readonly all: AsyncGenerator<Buffer>;
}

async function peeked(bytes: AsyncIterable<Buffer>, count: number): Promise<Peeked> {
  const iterator = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < count) {
    const { done, value } = await iterator.next();
    if (done) break;
    head = head.length > 0 ? Buffer.concat([head, value]) : value;
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { head, all: all() };
}

/**
 * By events instead of by pipeline(): a stream that fails throws away what is not read yet,
 * but the last objects before the fault are wanted.
 */
async function* throughUnpacker(
  unpacker: Gunzip | ZstdDecompress,
  packed: AsyncIterable<Buffer>,
  last?: Buffer,
): AsyncGenerator<Buffer> {
  const unread = { highWaterMark: 1, lowWaterMark: 1 };
  const chunks = on(unpacker, 'data', { close: ['end', 'close'], ...unread });
  const fed = { bytes: 0 };
  const feeding = feed(unpacker, packed, fed, last).catch((error) => void unpacker.destroy(error));
  let size = 0;
  try {
    for await (const [chunk] of chunks) {
      size += chunk.length;
      if (size > alwaysUnpacked && size > mostTimesPacked * fed.bytes)
        throw new UnreadableInput(tooMuch);
      yield chunk;
    }
    if (await feeding) throw new TrailingDataError(behind);
  } catch (error) {
    throw isUnpackingFault(error as Error) ? new TruncatedError((error as Error).message) : error;
  } finally {
    unpacker.destroy();
  }
}

/**
 * Answers whether there is more than was unpacked. Zeros are padding, as tapes and block devices need it. `last` is
 * written behind all, and taken where the data end with it.
 */
async function feed(
  unpacker: Gunzip | ZstdDecompress,
  packed: AsyncIterable<Buffer>,
  fed: { bytes: number },
  last: Buffer = Buffer.alloc(0),
): Promise<boolean> {
  const over = new Promise<void>((resolve) => unpacker.once('close', resolve).once('end', resolve));
  for await (const chunk of packed) {
    if (unpacker.destroyed && !unpacker.readableEnded) return false;
    const before = fed.bytes;
    fed.bytes += chunk.length;
    if (!unpacker.readableEnded) {
      const written = new Promise<void>((resolve) => unpacker.write(chunk, () => resolve()));
      await Promise.race([written, over]);
    }
    const unused = chunk.subarray(Math.max(unpacker.bytesWritten - before, 0));
    if (unpacker.readableEnded && unused.some((byte) => byte !== 0)) return true;
  }
  if (unpacker.destroyed || unpacker.readableEnded) return false;
  unpacker.end(last);
  await over;
  const { bytesWritten } = unpacker;
  return bytesWritten >= fed.bytes && bytesWritten < fed.bytes + last.length;
}

function isUnpackingFault(error: Error & { readonly code?: string }): boolean {
  return /^(Z_|ZSTD_)/.test(error.code ?? '');
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Drops a byte order mark, and turns the UTF-16 that PowerShell's `>` writes into UTF-8. */
export async function* inUtf8(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { head, all } = await peeked(bytes, 3);
  const decoder = decoderFor(head);
  let skipped = head.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
  for await (const chunk of all) {
    const text = decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
    if (text.length > skipped) yield text.subarray(skipped);
    skipped = 0;
  }
}

/** The same of what is at hand; kubectl reads UTF-16 too, where a byte order mark says so. */
export function decodedText(bytes: Uint8Array): string {
  return (decoderFor(bytes) ?? new TextDecoder()).decode(bytes);
}

function decoderFor(head: Uint8Array): TextDecoder | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le');
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be');
  return undefined;
}

/** Data follows the compressed data, and was not read; all that was compressed was handed out. */
export class TrailingDataError extends UnreadableInput {}

const archives: readonly (readonly [string, number, string])[] = [
  ['a tar archive', 257, 'ustar'],
  ['a zip archive', 0, 'PK\u0003\u0004'],
  ['compressed with bzip2', 0, 'BZh9'],
  ['compressed with xz', 0, '\u00fd7zXZ'],
  ['a 7z archive', 0, '7z\u00bc\u00af'],
];

/** What is packed in a way that is not read, by the first bytes of it. */
export function archiveIn(head: Buffer): string | undefined {
  return archives.find(
    ([, at, mark]) => head.toString('latin1', at, at + mark.length) === mark,
  )?.[0];
}

/** Enough to see which field is the first. */
const headLength = 4096;

/** Do bytes, compressed or not, begin as objects do that a program printed, or as an archive, which may hold some? */
export async function beginsAsInput(bytes: AsyncIterable<Buffer>): Promise<boolean> {
  let head: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of inUtf8(unpacked(bytes))) {
      head = Buffer.concat([head, chunk]);
      if (head.length >= headLength) break;
    }
  } catch (error) {
    // Who reads it all says what is wrong with compressed data.
    return error instanceof TruncatedError || reasonUnreadable(error) !== undefined;
  }
  if (archiveIn(head) !== undefined) return true;
  const lines = head.toString('utf8').split('\n');
  const text = lines.filter((line) => !/^(?:#|---)|^\s*$/.test(line)).join('\n');
  return /^[[{\s-]*["']?(?:apiVersion|kind)["']?\s*:/.test(text);
}

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
