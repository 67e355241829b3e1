import { readHead } from './unpack.ts';

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
