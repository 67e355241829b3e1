import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { TrailingDataError, TruncatedError, unpacked } from '../../src/files/input-bytes.ts';

/** Text that does not pack well, so that there is more than one chunk of it. */
const text = Buffer.from(Array.from({ length: 100_000 }, (_, i) => Math.sin(i)).join('\n'));

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function unpack(bytes: AsyncIterable<Buffer>): Promise<{ bytes: Buffer; fault: unknown }> {
  const parts: Buffer[] = [];
  try {
    for await (const part of unpacked(bytes)) parts.push(part);
  } catch (fault) {
    return { bytes: Buffer.concat(parts), fault };
  }
  return { bytes: Buffer.concat(parts), fault: undefined };
}

const small = gzipSync('small');
const damaged = gzipSync(text);
damaged.fill(0xff, damaged.length / 2, damaged.length / 2 + 100);

describe.each([
  ['gzip', gzipSync(text)],
  ['zstd', zstdCompressSync(text)],
])('unpacked, given %s,', (_, packed) => {
  test.each([1000, 1 << 20])('hands out all before a cut, in chunks of %i bytes', async (size) => {
    const twice = await unpack(inChunks(Buffer.concat([packed, packed]), size));
    expect([twice.bytes.equals(Buffer.concat([text, text])), twice.fault]).toEqual([
      true,
      undefined,
    ]);
    const { bytes, fault } = await unpack(inChunks(packed.subarray(0, packed.length / 2), size));
    expect(fault).toBeInstanceOf(TruncatedError);
    expect(bytes.length).toBeGreaterThan(text.length / 3);
    expect(bytes.equals(text.subarray(0, bytes.length))).toBe(true);
  });

  test('stops reading when its reader stops', async () => {
    let chunks = 0;
    const endless = async function* (): AsyncGenerator<Buffer> {
      for (;;) {
        chunks++;
        yield packed;
      }
    };
    for await (const part of unpacked(endless())) if (part.length > 0) break;
    expect(chunks).toBeLessThan(5);
  });
});

test.each([
  ['in the middle', gzipSync(text).subarray(0, 5000)],
  ['behind the end', small],
])('passes on read errors %s', async (_, given) => {
  const failure = new Error('the disk is gone');
  const failing = async function* (): AsyncGenerator<Buffer> {
    yield given;
    throw failure;
  };
  expect((await unpack(failing())).fault).toBe(failure);
});

test('reports damage in the middle and behind the end of gzip', async () => {
  expect((await unpack(inChunks(damaged, 1000))).fault).toBeInstanceOf(TruncatedError);
  const junk = Buffer.concat([gzipSync(text), Buffer.from('junk')]);
  const trailing = await unpack(inChunks(junk, 1000));
  expect(trailing.fault).toBeInstanceOf(TruncatedError);
  expect(text.length - trailing.bytes.length).toBeLessThan(64 * 1024);
});

// What stands behind packed data is told, as not-whole.test.ts has it of files.
test.each<[string, Buffer, string, unknown]>([
  [
    'other data',
    Buffer.concat([small, Buffer.from('\0\0junk')]),
    'small',
    expect.any(TrailingDataError),
  ],
  ['a cut', small.subarray(0, -1), 'small', expect.any(TruncatedError)],
  ['much in little', gzipSync(Buffer.alloc(8 << 20, 'a')), 'a'.repeat(8 << 20), undefined],
  ['nothing', Buffer.from(''), '', undefined],
  ['an uncompressed byte', Buffer.from('a'), 'a', undefined],
  ['text', Buffer.from('{"a":1}'), '{"a":1}', undefined],
])('unpacks %s equally in pieces', async (_, given, shown, fault) => {
  for (const size of [1, 1 << 20]) {
    const read = await unpack(inChunks(given, size));
    expect(read.bytes.toString() === shown).toBe(true);
    expect(read.fault).toEqual(fault);
  }
});
