import {
  appendFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Plan } from '../../../src/deletion/plan/plan.ts';
import { sealBackup, sha256Of } from '../../../src/restore/backup/backup.ts';
import { readBackup } from '../../../src/restore/backup/read-backup.ts';
import { writeBackup } from '../../../src/restore/backup/write-backup.ts';
import { fakeClient } from '../../cluster/fake-client.ts';
import { servedTypes } from '../../support/builders.ts';
import { kube, ownedBy } from '../saved.ts';

let folder: string;
let directory: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-backup-'));
  directory = join(folder, 'backup');
  const objects = [
    kube('v1 ConfigMap app', {}, { data: { on: 'off', a: '1' } }),
    kube('v1 ConfigMap part', { ...ownedBy('v1 ConfigMap app'), finalizers: ['example.com/x'] }),
  ];
  const path = '/api/v1/namespaces/shop/configmaps';
  const client = fakeClient({
    [`${path}/app`]: { body: objects[0] ?? {} },
    [`${path}/part`]: { body: objects[1] ?? {} },
  });
  const plan: Plan = {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Plan',
    cluster: { server: 'https://api.example.com:6443', uid: 'uid-kube-system' },
    createdAt: '2026-01-31T12:00:00Z',
    requests: [],
    objects: ['app', 'part', 'gone'].map((name) => ({
      ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name, uid: `uid-${name}` },
      ...{ wave: 1, fate: 'deleted', because: '', rule: '', blockedBy: [] },
    })),
    remarks: [],
    undetermined: [],
    coverage: { complete: true, kinds: 1, objects: 2, problems: [] },
  };
  await writeBackup(plan, client, servedTypes, { directory });
});
afterEach(() => rm(folder, { recursive: true }));

const file = (name: string) => join(directory, `objects/shop/configmaps/${name}.yaml`);
const read = (acceptEdited = false) => readBackup(directory, { acceptEdited });
const faults = async (acceptEdited = false) =>
  (await read(acceptEdited)).saved.map(({ name, fault }) => `${name}: ${fault ?? 'sound'}`);

async function editIndex(change: (index: Record<string, unknown>) => object, sealed = true) {
  const path = join(directory, 'backup.json');
  const { digest, ...index } = JSON.parse(await readFile(path, 'utf8'));
  const changed = change(index) as Parameters<typeof sealBackup>[0];
  await writeFile(path, JSON.stringify(sealed ? sealBackup(changed) : { ...changed, digest }));
}

test('what was written is read again', async () => {
  const { saved, problems, cluster, createdAt } = await read();
  expect(cluster).toEqual({ server: 'https://api.example.com:6443', uid: 'uid-kube-system' });
  expect(Date.parse(createdAt)).toBeGreaterThan(0);
  expect(problems.map(({ message }) => message)).toEqual([
    'not in the backup: ConfigMap gone in namespace shop is gone',
  ]);
  expect(saved.map(({ type, ...rest }) => ({ ...rest, resource: type.resource }))).toEqual([
    {
      namespace: 'shop',
      name: 'app',
      uid: 'uid-app',
      ownerReferences: [],
      finalizers: [],
      phase: undefined,
      fault: undefined,
      resource: 'configmaps',
      manifest: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'app', namespace: 'shop' },
        data: { on: 'off', a: '1' },
      },
    },
    expect.objectContaining({
      name: 'part',
      ownerReferences: [expect.objectContaining({ name: 'app', uid: 'uid-app' })],
      finalizers: ['example.com/x'],
    }),
  ]);
});

test('a file that is missing, changed or another does not stop the rest', async () => {
  await appendFile(file('app'), '# nothing\n');
  expect(await faults()).toEqual([
    `app: ${file('app')} has changed since it was written; --accept-edited accepts it`,
    'part: sound',
  ]);
  expect(await faults(true)).toEqual(['app: sound', 'part: sound']);
  await rm(file('part'));
  await writeFile(file('app'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n');
  expect(await faults(true)).toEqual([
    `app: ${file('app')} holds another object`,
    `part: ${file('part')} is missing`,
  ]);
  await writeFile(file('app'), 'data: [');
  expect((await faults(true))[0]).toContain(`${file('app')}: invalid YAML`);
});

test('a foreign file is told', async () => {
  await writeFile(file('foreign'), 'kind: Secret\n');
  expect((await read()).problems.at(-1)).toEqual({
    reason: 'unreadable',
    message: `${file('foreign')} is not part of the backup`,
    path: file('foreign'),
  });
});

test('an index that was changed is refused, unless it is meant', async () => {
  await editIndex((index) => ({ ...index, createdAt: '2020-01-01T00:00:00Z' }), false);
  await expect(read()).rejects.toMatchObject({ code: 'edited-backup' });
  expect(await faults(true)).toEqual(['app: sound', 'part: sound']);
});

test('an index cannot name a file outside of the backup', async () => {
  await writeFile(join(folder, 'outside.yaml'), 'secret');
  await editIndex((index) => {
    const [first, ...rest] = index.objects as object[];
    return { ...index, objects: [{ ...first, file: 'objects/../../outside.yaml' }, ...rest] };
  });
  expect((await faults(true))[0]).toBe(
    'app: the index names objects/../../outside.yaml, which is not where it should be',
  );
});

test.each([
  ['a newer format', (index: object) => ({ ...index, format: 3 }), 'newer-backup'],
  [
    'a newer version',
    (index: object) => ({ ...index, apiVersion: 'kubectl-gc/v2' }),
    'newer-backup',
  ],
  ['another document', () => ({ kind: 'Plan' }), 'no-backup'],
  ['no objects', (index: object) => ({ ...index, objects: 'none' }), 'no-backup'],
  [
    'an entry whose name leads to another path',
    (index: object) => {
      const [first] = (index as { objects: object[] }).objects;
      return { ...index, objects: [{ ...first, name: '..' }] };
    },
    'no-backup',
  ],
  ['an entry that is none', (index: object) => ({ ...index, objects: [{}] }), 'no-backup'],
])('%s', async (_, change, code) => {
  await editIndex(change);
  await expect(read()).rejects.toMatchObject({ code, exitCode: 3 });
});

test('an index that is nested too deeply is refused', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  await writeFile(join(directory, 'backup.json'), `{"kind":"Backup","x":${deep}}`);
  await expect(read()).rejects.toMatchObject({
    code: 'no-backup',
    message: `${join(directory, 'backup.json')} is damaged: invalid JSON: it is nested too deeply`,
  });
});

test('an index that does not say which format it has is damaged', async () => {
  await editIndex((index) => ({ ...index, apiVersion: undefined }));
  await expect(read()).rejects.toMatchObject({
    code: 'no-backup',
    message: `${join(directory, 'backup.json')} is damaged: it does not say which format it has`,
  });
});

test('field managers that are none are left out, though the index has their digest', async () => {
  const managers = '{"half": ';
  await writeFile(file('app').replace('.yaml', '.managers.json'), managers);
  await editIndex((index) => {
    const [first, ...rest] = index.objects as object[];
    return { ...index, objects: [{ ...first, managers: sha256Of(managers) }, ...rest] };
  });
  const [app] = (await read()).saved;
  expect([app?.fault, app?.fieldManagers]).toEqual([undefined, undefined]);
});

test('what an index says in no words is still missing', async () => {
  await editIndex((index) => ({ ...index, problems: [{ message: { toString: 1 } }] }));
  expect((await read()).problems.map(({ message }) => message)).toContain(
    'not in the backup: something that the index does not name',
  );
});

test('a folder that is no backup, or only a part of one', async () => {
  const path = join(directory, 'backup.json');
  await rename(path, `${path}.partial`);
  await expect(read()).rejects.toMatchObject({
    code: 'incomplete-backup',
    message: expect.stringContaining('interrupted before its index was written'),
  });
  await writeFile(path, '{"kind": "Bac');
  await expect(read()).rejects.toMatchObject({ code: 'no-backup' });
  await mkdir(join(folder, 'empty'));
  for (const name of ['empty', 'nowhere']) {
    const reading = readBackup(join(folder, name), { acceptEdited: false });
    await expect(reading).rejects.toMatchObject({ code: 'no-backup', exitCode: 3 });
  }
});

test('a device or pipe in the place of a file is refused, not waited for', async () => {
  await rm(file('app'));
  await symlink('/dev/zero', file('app'));
  const { saved } = await read();
  expect(saved.map(({ name, fault }) => [name, fault])[0]).toEqual([
    'app',
    `${file('app')} cannot be read: it is not a file`,
  ]);
});
