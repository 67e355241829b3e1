import { createReadStream, readFileSync, statSync } from 'node:fs';
import type { Readable, Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';

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

/** A call that meets a fault loses what it has unpacked so far: no more than this. */
const unpackedChunkBytes = 64 * 1024;

/** The packed data ended too soon or is damaged; all bytes in front of that were handed out. */
export class CutOff extends Error {
  override readonly name = 'CutOff';
}

/** Unpacks gzip and zstd, known by their first bytes; passes anything else on. */
export async function* unpacked(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = packed[Symbol.asyncIterator]();
  try {
    const head = await readHead(iterator, 4);
    const unpacker = unpackerFor(head);
    if (unpacker) yield* throughUnpacker(unpacker, head, iterator);
    else {
      if (head.length > 0) yield head;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        yield next.value;
      }
    }
  } finally {
    await iterator.return?.();
  }
}

/** The first chunks together, until there are `bytes` of them or the input ends. */
async function readHead(iterator: AsyncIterator<Buffer>, bytes: number): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < bytes) {
    const next = await iterator.next();
    if (next.done) break;
    head = head.length ? Buffer.concat([head, next.value]) : next.value;
  }
  return head;
}

function unpackerFor(head: Buffer): Transform | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return createGunzip({ chunkSize: unpackedChunkBytes });
  if (head.length >= 4 && head.readUInt32LE() === 0xfd2fb528) {
    return createZstdDecompress({ chunkSize: unpackedChunkBytes });
  }
  return undefined;
}

/**
 * By hand instead of by pipeline(): a stream that fails throws away what is not read yet,
 * but the last objects before the fault are wanted.
 */
async function* throughUnpacker(
  unpacker: Transform,
  head: Buffer,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  const ready: Buffer[] = [];
  let fault: Error | undefined;
  let finished = false;
  let wake = (): void => {};
  unpacker.on('data', (chunk: Buffer) => {
    ready.push(chunk);
    unpacker.pause();
    wake();
  });
  unpacker.on('error', (error) => {
    fault = error;
    wake();
  });
  unpacker.on('end', () => {
    finished = true;
    wake();
  });
  const fed = feed(unpacker, head, rest).catch((error: Error) => {
    fault = error;
    wake();
  });
  try {
    for (;;) {
      const chunk = ready.shift();
      if (chunk) yield chunk;
      else if (fault || finished) break;
      else {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        unpacker.resume();
        await woken;
      }
    }
    await fed;
    if (fault) throw isUnpackingFault(fault) ? new CutOff(fault.message) : fault;
  } finally {
    unpacker.destroy();
  }
}

async function feed(unpacker: Transform, head: Buffer, rest: AsyncIterator<Buffer>): Promise<void> {
  const closed = new Promise<void>((resolve) => unpacker.once('close', resolve));
  let chunk: Buffer | undefined = head;
  while (chunk && !unpacker.destroyed) {
    const packed: Buffer = chunk;
    const written = new Promise<void>((resolve) => unpacker.write(packed, () => resolve()));
    await Promise.race([written, closed]);
    const next: IteratorResult<Buffer> = await rest.next();
    chunk = next.done ? undefined : next.value;
  }
  if (!unpacker.destroyed) unpacker.end();
}

function isUnpackingFault(error: Error & { readonly code?: string }): boolean {
  return /^(Z_|ZSTD_)/.test(error.code ?? '');
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Drops a byte order mark, and turns the UTF-16 that PowerShell's `>` writes into UTF-8. */
export async function* inUtf8(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const iterator = bytes[Symbol.asyncIterator]();
  try {
    const head = await readHead(iterator, 3);
    const decoder = decoderFor(head);
    const start = head.subarray(0, 3).equals(byteOrderMark) ? head.subarray(3) : head;
    if (start.length > 0) yield decode(start, decoder);
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      yield decode(next.value, decoder);
    }
  } finally {
    await iterator.return?.();
  }
}

function decoderFor(head: Buffer): TextDecoder | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le');
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be');
  return undefined;
}

function decode(bytes: Buffer, decoder: TextDecoder | undefined): Buffer {
  return decoder ? Buffer.from(decoder.decode(bytes, { stream: true })) : bytes;
}

/** Nothing in the input can be read as text. */
export class NotText extends Error {
  override readonly name = 'NotText';
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
      return 'its links go round in circles';
    default:
      return typeof code === 'string' ? `the system says ${code}` : undefined;
  }
}
