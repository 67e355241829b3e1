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
import { sealBackup, sha256Of } from '../../../src/restore/backup/backup.ts';
import { readBackup, readBackupIndex } from '../../../src/restore/backup/read-backup.ts';
import { writeBackup } from '../../../src/restore/backup/write-backup.ts';
import { fakeClient } from '../../cluster/fake-client.ts';
import { servedTypes } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { kube, ownedBy } from '../saved.ts';
import { planned, planToSave } from './plan-to-save.ts';

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
  const names = ['app', 'part', 'gone'];
  const plan = planToSave(...names.map((name) => planned('ConfigMap', name)));
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

/** Changes the entry of `app`. */
const editFirst = (changes: object) =>
  editIndex((index) => {
    const [first, ...rest] = index.objects as object[];
    return { ...index, objects: [{ ...first, ...changes }, ...rest] };
  });

test('what was written is read again', async () => {
  const { saved, problems, cluster, createdAt } = await read();
  expect(cluster).toEqual({ server: 'https://api.example.com:6443', uid: 'uid-kube-system' });
  expect(Date.parse(createdAt)).toBeGreaterThan(0);
  expect(problems.map(({ message }) => message).join('\n')).toMatchInlineSnapshot(
    `"not in the backup: ConfigMap gone in namespace shop does not exist any more"`,
  );
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
        metadata: { name: 'app', namespace: 'shop', uid: 'uid-app' },
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
  expect((await faults()).join('\n').replaceAll(folder, '')).toMatchInlineSnapshot(`
    "app: /backup/objects/shop/configmaps/app.yaml has changed since it was written; --accept-edited accepts it
    part: sound"
  `);
  expect(await faults(true)).toEqual(['app: sound', 'part: sound']);
  await rm(file('part'));
  await writeFile(file('app'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n');
  expect(await faults(true)).toEqual([
    `app: ${file('app')} contains another object`,
    `part: ${file('part')} is missing`,
  ]);
  await writeFile(file('app'), 'data: [');
  expect((await faults(true))[0]).toContain(`${file('app')}: invalid YAML`);
});

const files = rowsOf(`
  another version   | {apiVersion: v2, kind: ConfigMap, metadata: {name: app, namespace: shop}}
  another kind      | {apiVersion: v1, kind: Secret, metadata: {name: app, namespace: shop}}
  another name      | {apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: shop}}
  another namespace | {apiVersion: v1, kind: ConfigMap, metadata: {name: app, namespace: bank}}
  no namespace      | {apiVersion: v1, kind: ConfigMap, metadata: {name: app}}
  no metadata       | {apiVersion: v1, kind: ConfigMap}
  a list            | [{apiVersion: v1}]
  nothing           |
`);
test.each(files)(
  'a file changed to contain %s is not restored, whatever is accepted',
  async (_, text = '') => {
    await writeFile(file('app'), text);
    expect((await faults(true))[0]).toBe(`app: ${file('app')} contains another object`);
  },
);

test('a foreign file is reported', async () => {
  await writeFile(file('foreign'), 'kind: Secret\n');
  const problem = (await read()).problems.at(-1);
  expect(problem).toMatchObject({ reason: 'unreadable', path: file('foreign') });
  expect(problem?.message.replaceAll(folder, '')).toMatchInlineSnapshot(
    `"/backup/objects/shop/configmaps/foreign.yaml is not part of the backup"`,
  );
});

test('a backup of deleted objects is empty, and says so', async () => {
  await rm(directory, { recursive: true });
  const plan = planToSave(planned('ConfigMap', 'gone'));
  await writeBackup(plan, fakeClient({}), servedTypes, { directory });
  const { saved, problems } = await read();
  expect(saved).toEqual([]);
  expect(problems).toEqual([
    {
      reason: 'unreadable',
      message: expect.stringContaining('ConfigMap gone in namespace shop'),
    },
  ]);
});

test('an index that was changed is refused, unless it is meant', async () => {
  await editIndex((index) => ({ ...index, createdAt: '2020-01-01T00:00:00Z' }), false);
  await expect(read()).rejects.toMatchObject({
    code: 'edited-backup',
    suggestions: ['If the change was meant, add --accept-edited.'],
  });
  expect(await faults(true)).toEqual(['app: sound', 'part: sound']);
});

test('an index cannot name a file outside of the backup', async () => {
  await writeFile(join(folder, 'outside.yaml'), 'secret');
  await editFirst({ file: 'objects/../../outside.yaml' });
  expect((await faults(true))[0]).toMatchInlineSnapshot(
    `"app: the index names objects/../../outside.yaml, which is not where it should be"`,
  );
});

test.each<[string, object, string, string?]>([
  ['a newer format', { format: 3 }, 'newer-backup'],
  ['a newer version', { apiVersion: 'kubectl-gc/v2' }, 'newer-backup'],
  ['another document', { kind: 'Plan' }, 'no-backup'],
  ['no objects', { objects: 'none' }, 'no-backup'],
  ['an empty entry', { objects: [{}] }, 'no-backup'],
  ['a string entry', { objects: ['app'] }, 'no-backup'],
  ['no cluster', { cluster: 'shop' }, 'no-backup'],
  ['a format in words', { format: 'one' }, 'no-backup', 'which format'],
  ['no version', { apiVersion: undefined }, 'no-backup', 'which format'],
])('%s', async (_, changes, code, fault = '') => {
  await editIndex((index) => ({ ...index, ...changes }));
  const message = expect.stringContaining(fault);
  await expect(read()).rejects.toMatchObject({ code, exitCode: 3, message });
});

test.each([
  ['apiVersion', 1, 'is 1, not a word'],
  ['apiVersion', '', 'is "", not a word'],
  ['kind', undefined, 'is missing'],
  ['kind', '', 'is "", not a word'],
  ['namespace', undefined, 'is missing'],
  ['namespace', '../x', 'is "../x", not a name'],
  ['name', '', 'is "", not a name'],
  ['name', '..', 'is "..", not a name'],
  ['uid', 7, 'is 7, not a string'],
  ['resource', null, 'is nothing, not a string'],
  ['namespaced', 'true', 'is "true", not true or false'],
  ['fate', 'gone', /^is "gone", not one of deleted, /],
  ['phase', 7, 'is 7, not a string'],
])('an entry with %s %j makes a damaged index', async (field, value, fault) => {
  await editFirst({ [field]: value });
  const error = await read().catch((reason: Error & { code?: string }) => reason);
  const [damaged, told = ''] = (error as Error).message.split(`: objects[0].${field} `);
  expect([damaged, (error as { code?: string }).code]).toEqual([
    `${join(directory, 'backup.json')} is damaged`,
    'no-backup',
  ]);
  expect(told).toMatch(fault);
});

test('what the deletion may have taken along is a hole, what was gone or replaced before is none', async () => {
  const problem = (reason: string) => ({ reason, message: `it is ${reason}` });
  const reasons = ['gone', 'replaced', 'forbidden', 'unavailable', 'unreadable'];
  await editIndex((index) => ({
    ...index,
    problems: reasons.map(problem),
    unread: [problem('not listed')],
  }));
  const { holes, unsaved } = await readBackupIndex(directory);
  expect(holes).toEqual(
    ['forbidden', 'unavailable', 'unreadable', 'not listed'].map((why) => `it is ${why}`),
  );
  expect(unsaved).toHaveLength(6);
});

test('field managers that are none are left out, though the index has their digest', async () => {
  const managers = '{"half": ';
  await writeFile(file('app').replace('.yaml', '.managers.json'), managers);
  await editFirst({ managers: sha256Of(managers) });
  const [app] = (await read()).saved;
  expect([app?.fault, app?.fieldManagers]).toEqual([undefined, undefined]);
});

test('field managers that were changed are left out', async () => {
  const managers = '[{"manager": "another"}]';
  const path = file('app').replace('.yaml', '.managers.json');
  const managersOf = async (written: string) => {
    await writeFile(path, written);
    return (await read()).saved[0]?.fieldManagers;
  };
  await editFirst({ managers: sha256Of(managers) });
  expect(await managersOf(managers)).toEqual([{ manager: 'another' }]);
  expect(await managersOf(managers.replace('another', 'changed'))).toBeUndefined();
  await rm(path);
  expect((await read()).saved[0]?.fieldManagers).toBeUndefined();
});

/** What is said of a backup that is refused, without its folder. */
const wordsOf = (reading: Promise<unknown>) =>
  reading.catch(({ message, suggestions }) =>
    [message, ...suggestions].join('\n').replaceAll(folder, ''),
  );

test('a folder that is no backup, or only a part of one', async () => {
  const path = join(directory, 'backup.json');
  await rename(path, `${path}.partial`);
  const incomplete = {
    code: 'incomplete-backup',
    suggestions: [
      expect.any(String),
      expect.stringContaining(`: kubectl gc restore --from ${directory}`),
    ],
  };
  await expect(read()).rejects.toMatchObject(incomplete);
  expect(await wordsOf(read())).toMatchInlineSnapshot(`
    "the backup in /backup is not complete: it was interrupted before its index was written
    Nothing was deleted with this backup.
    To restore its content anyway: kubectl gc restore --from /backup"
  `);
  await rm(`${path}.partial`);
  await expect(read()).rejects.toMatchObject(incomplete);
  for (const [text, fault] of [
    ['{"kind": "Bac', 'is damaged: '],
    ['null', 'is not '],
    [`{"kind":"Backup","x":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, 'is damaged: invalid JSON: '],
  ] as const) {
    await writeFile(path, text);
    if (text === 'null')
      expect(await wordsOf(read())).toMatchInlineSnapshot(`
      "/backup/backup.json is not the index of a backup
      Name a folder that delete wrote as its backup, or one that "backups" lists.
      For manifests from elsewhere: kubectl gc restore --from PATH"
    `);
    await expect(read()).rejects.toMatchObject({
      code: 'no-backup',
      message: expect.stringContaining(`${path} ${fault}`),
      suggestions: [
        expect.any(String),
        expect.stringContaining(': kubectl gc restore --from PATH'),
      ],
    });
  }
  await mkdir(join(folder, 'empty'));
  await writeFile(join(folder, 'file'), '');
  const words: string[] = [];
  for (const name of ['empty', 'nowhere', 'file']) {
    const reading = readBackup(join(folder, name), { acceptEdited: false });
    await expect(reading).rejects.toMatchObject({ code: 'no-backup', exitCode: 3 });
    words.push(await reading.catch(({ message }) => message.replaceAll(folder, '')));
  }
  expect(words.join('\n')).toMatchInlineSnapshot(`
    "there is no backup.json in /empty
    /nowhere: there is no such folder
    /file: it is not a folder"
  `);
});

test('a device or pipe in the place of a file is refused, not waited for', async () => {
  await rm(file('app'));
  await symlink('/dev/zero', file('app'));
  const { saved } = await read();
  expect(saved[0]?.name).toBe('app');
  expect(saved[0]?.fault?.replaceAll(folder, '')).toMatchInlineSnapshot(
    `"/backup/objects/shop/configmaps/app.yaml cannot be read: it is not a file"`,
  );
});
