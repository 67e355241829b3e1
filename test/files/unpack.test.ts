import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { CutOff, DataBehind, unpacked } from '../../src/files/input-bytes.ts';

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

describe.each([
  ['gzip', gzipSync(text)],
  ['zstd', zstdCompressSync(text)],
])('unpacked, given %s,', (_, packed) => {
  test.each([1000, 1 << 20])('unpacks chunks of %i bytes', async (size) => {
    const once = await unpack(inChunks(packed, size));
    expect([once.bytes.equals(text), once.fault]).toEqual([true, undefined]);
    const twice = await unpack(inChunks(Buffer.concat([packed, packed]), size));
    expect([twice.bytes.equals(Buffer.concat([text, text])), twice.fault]).toEqual([
      true,
      undefined,
    ]);
  });

  test.each([1000, 1 << 20])(
    'hands out what came before the cut, in chunks of %i bytes',
    async (size) => {
      const cut = packed.subarray(0, packed.length / 2);
      const { bytes, fault } = await unpack(inChunks(cut, size));
      expect(fault).toBeInstanceOf(CutOff);
      expect(bytes.length).toBeGreaterThan(text.length / 3);
      expect(bytes.equals(text.subarray(0, bytes.length))).toBe(true);
    },
  );

  test('passes on why reading failed', async () => {
    const failure = new Error('the disk is gone');
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield packed.subarray(0, 5000);
      throw failure;
    };
    expect((await unpack(failing())).fault).toBe(failure);
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

describe('unpacked', () => {
  test('reports damage in the middle and behind the end of gzip', async () => {
    const packed = gzipSync(text);
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, packed.length / 2, packed.length / 2 + 100);
    expect((await unpack(inChunks(damaged, 1000))).fault).toBeInstanceOf(CutOff);
    const trailing = await unpack(inChunks(Buffer.concat([packed, Buffer.from('junk')]), 1000));
    expect(trailing.fault).toBeInstanceOf(CutOff);
    expect(text.length - trailing.bytes.length).toBeLessThan(64 * 1024);
  });

  const small = gzipSync('small');

  test.each<[string, Buffer, string, unknown]>([
    ['two members', Buffer.concat([small, small]), 'smallsmall', undefined],
    ['padding', Buffer.concat([small, Buffer.alloc(512)]), 'small', undefined],
    [
      'other data',
      Buffer.concat([small, Buffer.from('\0\0junk')]),
      'small',
      expect.any(DataBehind),
    ],
    ['a cut', small.subarray(0, -1), 'small', expect.any(CutOff)],
    ['much in little', gzipSync(Buffer.alloc(8 << 20, 'a')), 'a'.repeat(8 << 20), undefined],
  ])('hands out the same of a small gzip file at once and in pieces: %s', async (...given) => {
    const [, packed, shown, fault] = given;
    for (const size of [1, 1 << 20]) {
      const unpackedBytes = await unpack(inChunks(packed, size));
      expect(unpackedBytes.bytes.toString() === shown).toBe(true);
      expect(unpackedBytes.fault).toEqual(fault);
    }
  });

  test('tells that reading failed behind the end of a small gzip file', async () => {
    const failure = new Error('the disk is gone');
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield small;
      throw failure;
    };
    const { bytes, fault } = await unpack(failing());
    expect([bytes.toString(), fault]).toEqual(['small', failure]);
  });

  test.each(['', 'a', 'abc', '{"a":1}'])('passes %j on', async (plain) => {
    const { bytes, fault } = await unpack(inChunks(Buffer.from(plain), 1));
    expect([bytes.toString(), fault]).toEqual([plain, undefined]);
  });
});
