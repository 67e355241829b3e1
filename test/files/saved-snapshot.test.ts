import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { isGcError } from '../../src/errors.ts';
import { fromFiles } from '../../src/files/from-files.ts';
import { encodeSnapshot } from '../../src/files/saved-snapshot.ts';
import { configMap, node, pod, snapshotOf } from '../support/builders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

const path = join(folder, 'saved.json');
const now = () => new Date(0);
const snapshot = snapshotOf(
  [
    pod('web', { facts: { nodeName: 'node-a', phase: 'Running' }, labels: { app: 'web' } }),
    configMap('settings'),
    node('node-a', { facts: { taints: [] } }),
  ],
  { coverage: { read: [{ resource: 'pods' }, { resource: 'configmaps' }, { resource: 'nodes' }] } },
);
const text = [...encodeSnapshot(snapshot, crc32)].join('');

async function read(content: string | Buffer) {
  writeFileSync(path, content);
  return fromFiles([path], { now });
}

async function refusalOf(content: string | Buffer): Promise<string> {
  try {
    await read(content);
  } catch (error) {
    if (isGcError(error)) return error.message.replace(path, 'saved.json');
  }
  return 'none';
}

describe('a saved snapshot', () => {
  test.each([
    ['as it is', text],
    ['without final line break', text.trimEnd()],
    ['behind a directive of YAML', `%YAML 1.2\n${text}`],
    ['behind a comment', `# saved on Monday\n${text}`],
    ['with gzip', gzipSync(text)],
    ['with zstd', zstdCompressSync(text)],
  ])('is read %s', async (_, content) => {
    const { records, coverage } = await read(content);
    expect(records.map((record) => ({ ...record, place: undefined }))).toEqual(snapshot.records);
    expect(coverage).toEqual(snapshot.coverage);
  });

  test('is read in chunks of any size', async () => {
    const bytes = Buffer.from(text);
    for (const size of [1, 7, 64, 1000]) {
      async function* chunks() {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      }
      const { Readable } = await import('node:stream');
      const { records } = await fromFiles(['-'], { now, stdin: Readable.from(chunks()) });
      expect(records.map(({ name }) => name)).toEqual(['web', 'settings', 'node-a']);
    }
  });

  test('is read among other documents, and beside others of its kind', async () => {
    const { records } = await read(
      `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"key"}}\n${text}${text}---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\n`,
    );
    expect(records.map(({ name }) => name)).toEqual(['key', 'web', 'settings', 'node-a', 'web']);
  });

  const formatted = (changes: object) =>
    JSON.stringify({ ...JSON.parse(text), ...changes }, null, 2);
  const unusable = {
    'cut behind its objects': text.slice(0, -10),
    'cut before its objects': text.slice(0, 200),
    'with one changed byte': text.replace('settings', 'sittings'),
    'of a later version': text.replace('kubectl-gc/v3', 'kubectl-gc/v4'),
    'of an earlier version': text.replace('kubectl-gc/v3', 'kubectl-gc/v2'),
    'of an earlier version, and formatted again': formatted({ apiVersion: 'kubectl-gc/v1' }),
    'that was formatted again': formatted({}),
  };
  test('is refused where it is not as it was saved, or is of another version', async () => {
    const refusals: string[] = [];
    for (const [title, content] of Object.entries(unusable)) {
      const refusal = await refusalOf(content);
      refusals.push(`${title}: ${refusal.replaceAll(/[0-9a-f]{8}/g, 'CRC')}`);
    }
    expect(refusals.join('\n')).toMatchInlineSnapshot(`
      "cut behind its objects: nothing could be read from saved.json: line 1: the saved snapshot that begins here is cut off after 3 of its 3 objects. The file was not used: each object that it might contain counts as unknown
      cut before its objects: nothing could be read from saved.json: line 1: the saved snapshot that begins here is cut off before its first object. The file was not used: each object that it might contain counts as unknown
      with one changed byte: nothing could be read from saved.json: line 1: the saved snapshot that begins here is damaged, or was changed after it was saved: its CRC-32 is CRC, not CRC. The file was not used: each object that it might contain counts as unknown
      of a later version: nothing could be read from saved.json: line 1: a saved snapshot in the format kubectl-gc/v4, that a newer version wrote: this one reads kubectl-gc/v3. Update this plugin to read it
      of an earlier version: nothing could be read from saved.json: line 1: a saved snapshot in the format kubectl-gc/v2, that an older version wrote: this one reads kubectl-gc/v3. Save it again with this version
      of an earlier version, and formatted again: nothing could be read from saved.json: line 1: a saved snapshot in the format kubectl-gc/v1, that an older version wrote: this one reads kubectl-gc/v3. Save it again with this version
      that was formatted again: nothing could be read from saved.json: line 1: a saved snapshot that another program has rewritten, so that its checksum does not hold: use the file as it was saved"
    `);
  });

  const cutOff = 'The file was not used';
  test.each([
    ['"name":"web"', '"name":"../"'],
    ['"name":"web"', '"name":"%2e"'],
    ['"name":"web"', '"name":5'],
    ['"name":"web"', '"name" "web"'],
    ['"namespace":"shop"', '"namespace":"a/b"'],
    ['"kind":"Pod","metadata"', '"kind":"Gone","metadata"'],
    ['"kind":"Pod","metadata"', '"metadata"'],
    ['{"apiVersion":"v1","kind":"Node","metadata"', '[{"apiVersion":"v1","kind":"Node","metadata"'],
    ['"observedAt":"2026', '"observedAt":"soon'],
    ['"objectCount":3', '"objectCount":4'],
    ['"objectCount":3', '"objectCount":"many"'],
  ])('in which %s is %s is refused, whatever its checksum', async (before, after) => {
    expect(text).toContain(before);
    const body = text.replace(before, after).split('],"crc32"')[0] ?? '';
    const sum = crc32(body).toString(16).padStart(8, '0');
    expect(await refusalOf(`${body}],"crc32":"${sum}"}\n`)).toContain(cutOff);
  });
});
