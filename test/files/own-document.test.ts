import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { crc32, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { holdsSavedSnapshot } from '../../src/files/own-document.ts';
import { encodeSnapshot } from '../../src/files/saved-snapshot.ts';
import { pod, snapshotOf } from '../support/builders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const saved = [...encodeSnapshot(snapshotOf([pod('web')]), crc32)].join('');

test.each([
  ['a saved snapshot', saved, true],
  ['one in gzip', gzipSync(saved), true],
  ['one in zstd', zstdCompressSync(saved), true],
  ['manifests', 'apiVersion: v1\nkind: Pod\n', false],
  ['another document', '{"apiVersion":"kubectl-gc/v1","kind":"Simulation"}', false],
  ['damaged gzip', Buffer.from([0x1f, 0x8b, 1, 2, 3]), false],
  ['nothing', '', false],
])('%s', async (name, content, expected) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  expect(await holdsSavedSnapshot(path, Readable.from([]))).toBe(expected);
  const stdin = new PassThrough();
  stdin.end(content);
  expect(await holdsSavedSnapshot('-', stdin)).toBe(expected);
  // What was looked at can still be read.
  if (typeof content === 'string') expect(await text(stdin)).toBe(content);
});

test('a folder and a file that is not there hold none', async () => {
  expect(await holdsSavedSnapshot(folder, Readable.from([]))).toBe(false);
  expect(await holdsSavedSnapshot(join(folder, 'missing'), Readable.from([]))).toBe(false);
});
