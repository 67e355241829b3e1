import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type FieldChange, readUndo, writeUndo } from '../../../src/restore/backup/undo.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-undo-'));
const path = join(folder, 'undo.json');
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => rmSync(path, { force: true }));

const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'web', uid: 'u' };
const change: FieldChange = { object, field: 'finalizers', before: ['a', 'b'], after: ['a'] };
const strict = { acceptEdited: false };

function edit(from: string, to: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}

test('what is written is read again, and only its owner may read it', async () => {
  expect(await readUndo(folder, strict)).toBeUndefined();
  await writeUndo(folder, [change]);
  expect(await readUndo(folder, strict)).toEqual([change]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await expect(writeUndo(folder, [])).rejects.toThrow('EEXIST');
});

test('an edited one is refused, unless that is accepted', async () => {
  await writeUndo(folder, [change]);
  edit('"b"', '"c"');
  await expect(readUndo(folder, strict)).rejects.toMatchObject({
    code: 'edited-backup',
    message: `${path} has changed since it was written`,
  });
  const accepted = { ...change, before: ['a', 'c'] };
  expect(await readUndo(folder, { acceptEdited: true })).toEqual([accepted]);
});

test.each([
  ['another field', '"finalizers"', '"annotations"'],
  ['a name that leads elsewhere', '"web"', '".."'],
  ['a namespace that leads elsewhere', '"shop"', '"../x"'],
  ['no uid', '"u"', '""'],
  ['no namespace', '"namespace"', '"place"'],
  ['no name', '"web"', '""'],
  ['no kind', '"kind": "ConfigMap"', '"kind": ""'],
  ['no version of the object', '"apiVersion": "v1"', '"apiVersion": ""'],
  ['no list from before', '"before": [', '"before": {}, "were": ['],
  ['no list from after', '"after": [', '"after": {}, "are": ['],
  ['another kind of document', '"Undo"', '"Plan"'],
  ['another version of the document', 'kubectl-gc/v1', 'kubectl-gc/v2'],
  ['half a file', '"digest"', '"digest'],
])('%s is refused whatever is accepted', async (_, from, to) => {
  await writeUndo(folder, [change]);
  edit(from, to);
  await expect(readUndo(folder, { acceptEdited: true })).rejects.toMatchObject({
    code: 'no-backup',
    message: expect.stringContaining(`${path} is damaged: `),
  });
});
