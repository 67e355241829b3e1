import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sealBackup } from '../../../src/restore/backup/backup.ts';
import { listBackups } from '../../../src/restore/backup/list-backups.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'list-backups-'));
});
afterEach(() => rm(root, { recursive: true }));

const file = 'objects/shop/configmaps/app.yaml';

async function backup(name: string, createdAt = '2026-01-31T12:00:00Z'): Promise<void> {
  await mkdir(join(root, name, 'objects/shop/configmaps'), { recursive: true });
  await writeFile(join(root, name, file), 'x'.repeat(1000));
  const entry = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'app', uid: 'u' };
  const index = {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Backup',
    format: 1,
    cluster: { server: 'https://shop.example.com', uid: 'uid-of-shop' },
    createdAt,
    plan: 'sha256:plan',
    objects: [{ ...entry, resource: 'configmaps', namespaced: true, fate: 'deleted', file }],
    problems: [],
  };
  await writeFile(join(root, name, 'backup.json'), JSON.stringify(sealBackup(index)));
}

const listed = async () =>
  (await listBackups(root)).map(({ path, state, fault }) => [
    path.slice(root.length + 1),
    state,
    fault,
  ]);

test('the newest come first, and an edited index is reported', async () => {
  await backup('second', '2026-01-30T12:00:00Z');
  await backup('first', '2026-01-31T12:00:00Z');
  await backup('third', '2026-01-29T12:00:00Z');
  const path = join(root, 'third', 'backup.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace('uid-of-shop', 'uid-of-bank'));
  expect(await listed()).toEqual([
    ['first', 'whole', undefined],
    ['second', 'whole', undefined],
    ['third', 'whole', expect.stringContaining('index')],
  ]);
  expect((await listed()).at(-1)?.at(-1)).toMatchInlineSnapshot(
    `"its index has changed since it was written"`,
  );
});

test('what a cut-off backup is known by, and what is said of it', async () => {
  await mkdir(join(root, 'objects-only', 'objects'), { recursive: true });
  await mkdir(join(root, 'partial'));
  await writeFile(join(root, 'partial', 'backup.json.partial'), '12345');
  await writeFile(join(root, 'partial', 'notes.txt'), '12345');
  await mkdir(join(root, 'notes'));
  await writeFile(join(root, 'file'), '');
  await symlink(join(root, 'partial'), join(root, 'link'));
  expect((await listed()).sort()).toEqual([
    ['objects-only', 'cut-off', undefined],
    ['partial', 'cut-off', undefined],
  ]);
});

test('all files of a backup make its size', async () => {
  await backup('a');
  const index = await readFile(join(root, 'a', 'backup.json'));
  expect((await listBackups(root))[0]?.size).toBe(1000 + index.length);
});

test('what is below a folder without an index is not looked at', async () => {
  await mkdir(join(root, 'cut', 'objects/shop/secrets'), { recursive: true });
  await writeFile(join(root, 'cut', 'objects/shop/secrets/key.yaml'), '12345');
  await symlink(root, join(root, 'cut', 'objects/shop/all'));
  expect(await listBackups(root)).toEqual([
    {
      path: join(root, 'cut'),
      state: 'cut-off',
      createdAt: expect.stringMatching(/Z$/),
      cluster: { server: '', uid: '' },
      encrypted: false,
      entries: [],
      holes: [],
    },
  ]);
});

test('a missing folder contains no backups, and a file is none', async () => {
  expect(await listBackups(join(root, 'nowhere'))).toEqual([]);
  await writeFile(join(root, 'file'), '');
  await expect(listBackups(join(root, 'file'))).rejects.toMatchObject({
    code: 'unreadable-backups',
    message: expect.stringContaining(join(root, 'file')),
  });
  await symlink('loop', join(root, 'loop'));
  await expect(listBackups(join(root, 'loop'))).rejects.toMatchObject({
    message: expect.stringContaining(`${join(root, 'loop')}: ELOOP`),
  });
});
