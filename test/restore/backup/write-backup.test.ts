import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ClusterClient } from '../../../src/cluster/connection/cluster-client.ts';
import type { Fate, Plan } from '../../../src/deletion/plan/plan.ts';
import { GcError } from '../../../src/errors.ts';
import {
  backupRoot,
  defaultBackupDirectory,
} from '../../../src/restore/backup/backup-directory.ts';
import { readBackup } from '../../../src/restore/backup/read-backup.ts';
import { writeBackup } from '../../../src/restore/backup/write-backup.ts';
import type { CoverageProblem } from '../../../src/snapshot/coverage.ts';
import { fakeClient, patience, refusal } from '../../cluster/fake-client.ts';
import { asPublished } from '../../contract/valid-document.ts';
import { servedTypes } from '../../support/builders.ts';
import { planned, planToSave } from './plan-to-save.ts';

let folder: string;
let directory: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-'));
  directory = join(folder, 'new');
});
afterEach(() => rm(folder, { recursive: true }));

const stored = (name: string, fields: object = {}, metadata: object = {}) => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '7', ...metadata },
  ...fields,
});
const core = '/api/v1/namespaces/shop';
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'app', uid: 'uid-app' };
const below = { ownerReferences: [owner] };
const whole = (kind: string, ...about: Parameters<typeof stored>) => ({
  body: { apiVersion: 'v1', kind, ...stored(...about) },
});

const readIndex = async () => JSON.parse(await readFile(join(directory, 'backup.json'), 'utf8'));

/** Saves what a plan is about. */
const save = (
  plan: Plan,
  client: ClusterClient,
  options: Partial<Parameters<typeof writeBackup>[3]> = {},
) => writeBackup(plan, client, servedTypes, { directory, ...options });
const configMaps = (...names: string[]) =>
  planToSave(...names.map((name) => planned('ConfigMap', name)));
const clientOf = (...names: string[]) =>
  fakeClient(
    Object.fromEntries(names.map((name) => [`${core}/configmaps/${name}`, { body: stored(name) }])),
  );
const many = Array.from({ length: 45 }, (_, i) => `c${i}`);

test('what a restore does not create again does not return', async () => {
  const set = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    uid: 'uid',
    controller: true,
  };
  const client = fakeClient({
    '/apis/coordination.k8s.io/v1/namespaces/shop/leases/leader': whole('Lease', 'leader'),
    [`${core}/pods/web`]: whole('Pod', 'web', {}, { ownerReferences: [set] }),
    [`${core}/pods/bare`]: whole('Pod', 'bare', { status: { phase: 'Failed' } }),
  });
  const lease = { ...planned('Lease', 'leader'), apiVersion: 'coordination.k8s.io/v1' };
  const plan = planToSave(lease, planned('Pod', 'web'), planned('Pod', 'bare'));
  const { objects, returning } = await save(plan, client);
  expect([objects, [...returning]]).toEqual([3, [['uid-bare', ['--finished']]]]);
});

test('what was being deleted already is saved as such, and takes a flag to be restored', async () => {
  const deletionTimestamp = '2026-01-31T12:00:00Z';
  const client = fakeClient({
    [`${core}/configmaps/going`]: whole('ConfigMap', 'going', {}, { deletionTimestamp }),
    [`${core}/configmaps/app`]: whole('ConfigMap', 'app'),
  });
  const plan = planToSave(planned('ConfigMap', 'going'), planned('ConfigMap', 'app'));
  const { returning } = await save(plan, client);
  // The objects are read side by side.
  expect(Object.fromEntries(returning)).toEqual({ 'uid-going': ['--terminating'], 'uid-app': [] });
  const { saved } = await readBackup(directory, { acceptEdited: false });
  expect(saved.map(({ name, isTerminating }) => [name, isTerminating])).toEqual([
    ['going', true],
    ['app', undefined],
  ]);
});

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}

test('deleted objects are saved whole, remaining ones in the graph alone, and Secrets in their file alone', async () => {
  const client = fakeClient({
    [`${core}/configmaps/app`]: whole(
      'ConfigMap',
      'app',
      { data: { on: 'off' } },
      {
        managedFields: [{ manager: 'pipeline' }],
        generation: 3,
      },
    ),
    [`${core}/secrets/key`]: whole('Secret', 'key', { data: { password: 'aHVudGVyMg==' } }, below),
    [`${core}/pods/left`]: whole('Pod', 'left', { status: { phase: 'Running' } }, below),
  });
  const objects = [
    planned('ConfigMap', 'app', { wave: 0 }),
    planned('Secret', 'key'),
    planned('Pod', 'left', { fate: 'orphaned' }),
  ];
  const plan = { ...planToSave(...objects), digest: 'sha256:plan' };
  const progress: number[] = [];
  const written = await save(plan, client, { onProgress: ({ done }) => progress.push(done) });
  const returning = new Map(['uid-left', 'uid-app', 'uid-key'].map((uid) => [uid, []]));
  const versions = new Map([...returning.keys()].map((uid) => [uid, '7']));
  const all = { directory, objects: 2, versions, problems: [], returning, unread: [] };
  const { update: _, ...values } = written;
  expect(values).toEqual(all);
  expect(progress).toEqual([1, 2, 3]);
  expect(await filesIn(directory)).toEqual([
    'backup.json',
    'objects/shop/configmaps/app.managers.json',
    'objects/shop/configmaps/app.yaml',
    'objects/shop/secrets/key.yaml',
  ]);
  const { saved } = await readBackup(directory, { acceptEdited: false });
  expect(saved.map(({ name, fieldManagers }) => [name, fieldManagers])).toEqual([
    ['app', [{ manager: 'pipeline' }]],
    ['key', undefined],
    ['left', undefined],
  ]);
  expect(await readFile(join(directory, 'objects/shop/configmaps/app.yaml'), 'utf8')).toBe(
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\n  namespace: shop\n  uid: uid-app\n  resourceVersion: "7"\n  generation: 3\ndata:\n  "on": "off"\n',
  );
  const modes = [
    '.',
    'objects/shop',
    'backup.json',
    'objects/shop/secrets/key.yaml',
    'objects/shop/configmaps/app.managers.json',
  ].map(async (path) => (await stat(join(directory, path))).mode & 0o777);
  expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o600, 0o600, 0o600]);

  const index = await readFile(join(directory, 'backup.json'), 'utf8');
  expect(index).not.toContain('aHVudGVyMg==');
  const { createdAt, digest, ...rest } = JSON.parse(index);
  expect(Date.parse(createdAt)).toBeLessThanOrEqual(Date.now());
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  const reference = expect.objectContaining(owner);
  const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
  const entry = (kind: string, name: string, resource: string, fate: Fate) => ({
    ...{ apiVersion: 'v1', kind, namespace: 'shop', name, uid: `uid-${name}` },
    ...{ resource, namespaced: true, fate, ownerReferences: [reference], finalizers: [] },
  });
  expect(rest).toEqual({
    apiVersion: 'kubectl-gc/v1',
    kind: 'Backup',
    format: 1,
    cluster: plan.cluster,
    plan: 'sha256:plan',
    objects: [
      {
        ...entry('ConfigMap', 'app', 'configmaps', 'deleted'),
        ownerReferences: [],
        file: 'objects/shop/configmaps/app.yaml',
        sha256,
        managers: sha256,
      },
      {
        ...entry('Secret', 'key', 'secrets', 'deleted'),
        file: 'objects/shop/secrets/key.yaml',
        sha256,
      },
      { ...entry('Pod', 'left', 'pods', 'orphaned'), phase: 'Running' },
    ],
    problems: [],
    unread: [],
  });
});

test('an unread object is a problem, a deleted or replaced one is only noted', async () => {
  const client = fakeClient({
    [`${core}/secrets/hidden`]: refusal(403, 'secrets "hidden" is forbidden'),
    [`${core}/configmaps/other`]: { body: stored('other', {}, { uid: 'uid-newer' }) },
    [`${core}/configmaps/gone`]: refusal(404, 'not found'),
  });
  const plan = planToSave(
    planned('Secret', 'hidden'),
    planned('ConfigMap', 'other'),
    planned('ConfigMap', 'gone'),
    planned('Strange', 'thing'),
  );
  const { objects, problems } = await save(plan, client, { retry: patience() });
  expect(objects).toBe(0);
  expect(problems[0]?.message).toMatchInlineSnapshot(
    `"Strange thing could not be read: the server does not serve v1 Strange"`,
  );
  expect(problems.map(({ reason, message }) => [reason, message])).toEqual([
    ['unavailable', expect.stringContaining(' v1 Strange')],
    ['forbidden', 'cannot get secrets/hidden in shop: secrets "hidden" is forbidden'],
  ]);
  const index = await readIndex();
  expect(index.problems.map(({ reason }: { reason: string }) => reason).sort()).toEqual([
    'forbidden',
    'gone',
    'replaced',
    'unavailable',
  ]);
});

test('how an object is deleted decides what is saved of it, and as what', async () => {
  const kept = (then: Fate) => ({ fate: 'kept' as const, then });
  const objects = [
    planned('ConfigMap', 'waits', kept('deleted')),
    planned('ConfigMap', 'comes-again', kept('recreated')),
    planned('ConfigMap', 'loses', kept('orphaned')),
    planned('ConfigMap', 'stays', { fate: 'kept' }),
    planned('ConfigMap', 'asked', { fate: 'kept', wave: 0 }),
    planned('ConfigMap', 'open', { fate: 'unknown' }),
    planned('ConfigMap', 'held', { fate: 'terminating' }),
    planned('ConfigMap', 'nowhere', { uid: '' }),
  ];
  const client = clientOf(...objects.map(({ name }) => name));
  await save(planToSave(...objects), client);
  const index = await readIndex();
  const entries: { name: string; fate: Fate; file?: string }[] = index.objects;
  expect(entries.map(({ name, fate, file }) => [name, fate, file !== undefined])).toEqual([
    ['waits', 'deleted', true],
    ['comes-again', 'recreated', true],
    ['loses', 'kept', false],
    ['stays', 'kept', false],
    ['asked', 'kept', true],
    ['open', 'unknown', true],
    ['held', 'terminating', true],
  ]);
  expect(client.paths.some((path) => path.includes('nowhere'))).toBe(false);
});

test('a folder and those above it are made for the user alone, an empty one is closed to others, and one in use left alone', async () => {
  const write = (place: string) => save(planToSave(), fakeClient({}), { directory: place });
  const modeOf = async (path: string) => (await stat(join(folder, path))).mode & 0o777;
  await write(join(folder, 'made', 'for', 'it'));
  expect(await Promise.all(['made', 'made/for', 'made/for/it'].map(modeOf))).toEqual([
    0o700, 0o700, 0o700,
  ]);
  await mkdir(join(folder, 'open'), { mode: 0o755 });
  expect(await write(join(folder, 'open'))).toMatchObject({ objects: 0 });
  expect(await modeOf('open')).toBe(0o700);
  await mkdir(join(folder, 'used'), { mode: 0o755 });
  await writeFile(join(folder, 'used', 'notes.txt'), '');
  await expect(write(join(folder, 'used'))).rejects.toMatchObject({
    code: 'backup-exists',
    exitCode: 2,
    suggestions: [expect.stringMatching(/^Name a folder /)],
  });
  expect([await modeOf('used'), await readdir(join(folder, 'used'))]).toEqual([
    0o755,
    ['notes.txt'],
  ]);
});

test('many objects of a kind are listed, and those that the list did not show asked for', async () => {
  const list = `${core}/configmaps?limit=50`;
  const client = fakeClient({
    [list]: {
      body: {
        metadata: { continue: 'more of it' },
        kind: 'List',
        items: many.slice(0, 30).map((name) => stored(name)),
      },
    },
    [`${list}&continue=more%20of%20it`]: {
      body: { kind: 'List', metadata: {}, items: many.slice(30, 44).map((name) => stored(name)) },
    },
    [`${core}/configmaps/c44`]: { body: stored('c44') },
  });
  expect(await save(configMaps(...many), client)).toMatchObject({
    directory,
    objects: 45,
    problems: [],
    unread: [],
  });
  expect(client.paths).toHaveLength(3);
  const index = await readIndex();
  expect(index.objects.map(({ name }: { name: string }) => name)).toEqual(many);
  expect(await readFile(join(directory, 'objects/shop/configmaps/c7.yaml'), 'utf8')).toBe(
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c7\n  namespace: shop\n  uid: uid-c7\n  resourceVersion: "7"\n',
  );
});

test('a folder that cannot be created is reported', async () => {
  await writeFile(join(folder, 'notes.txt'), '');
  const write = (place: string) => save(planToSave(), fakeClient({}), { directory: place });
  await expect(write(join(folder, 'notes.txt', 'x'))).rejects.toMatchObject({
    code: 'cannot-write-backup',
    message: expect.stringContaining('its path is not a folder'),
  });
  // mkdir with `recursive` never returns there.
  const { message } = await write('/proc/nowhere/backup').catch((error) => error);
  expect(message).toMatchInlineSnapshot(
    `"cannot write the backup /proc/nowhere/backup: no folder can be made there"`,
  );
  await expect(write('/proc/nowhere/backup')).rejects.toMatchObject({
    code: 'cannot-write-backup',
    exitCode: 3,
    message: expect.stringContaining('/proc/nowhere/backup'),
    suggestions: ['Nothing was deleted. Name another folder with --backup DIR.'],
  });
});

test('what can only be written in part leaves nothing behind', async () => {
  const client = fakeClient({
    [`${core}/configmaps/a`]: { body: stored('a') },
    [`${core}/secrets/b`]: { body: stored('b') },
  });
  const plan = planToSave(planned('ConfigMap', 'a'), planned('Secret', 'b'));
  directory = join(folder, 'made', 'for', 'it');
  const blocked: ClusterClient = {
    ...client,
    // Before the Secret can be written.
    request: (request) => {
      if (request.path.endsWith('/secrets/b')) {
        mkdirSync(join(directory, 'objects/shop'), { recursive: true });
        writeFileSync(join(directory, 'objects/shop/secrets'), 'in the way');
      }
      return client.request(request);
    },
  };
  await expect(save(plan, blocked)).rejects.toMatchObject({
    code: 'cannot-write-backup',
    exitCode: 3,
  });
  expect(await readdir(folder)).toEqual([]);
});

test('an index that cannot be written leaves nothing behind in a folder that was there', async () => {
  const onProgress = () => mkdirSync(join(folder, 'backup.json', 'x'), { recursive: true });
  const options = { directory: folder, onProgress };
  await expect(save(configMaps('a'), clientOf('a'), options)).rejects.toMatchObject({
    code: 'cannot-write-backup',
    message: expect.stringContaining(`cannot write the backup ${folder}: `),
  });
  expect(await readdir(folder)).toEqual([]);
});

test('kinds that were not read for the plan are in the index, and reported when it is read', async () => {
  const client = fakeClient({ [`${core}/configmaps/a`]: whole('ConfigMap', 'a') });
  const unread: CoverageProblem = {
    reason: 'forbidden',
    message: 'cannot list secrets',
    resource: 'secrets',
    apiVersion: 'v1',
    namespace: 'shop',
  };
  const plan = configMaps('a');
  const coverage = { ...plan.coverage, complete: false, problems: [unread] };
  const written = await save({ ...plan, coverage }, client);
  expect(written).toMatchObject({ directory, objects: 1, problems: [], unread: [unread] });
  const index = asPublished('backup', await readIndex());
  expect(index.unread).toEqual([unread]);
  const { problems } = await readBackup(directory, { acceptEdited: false });
  expect(problems).toEqual([
    {
      reason: 'unreadable',
      message: expect.stringContaining(unread.message),
    },
  ]);
});

test.each([
  ['before the last object', ['a', 'b']],
  ['after the last object', ['a']],
])('an interruption %s leaves nothing behind', async (_, names) => {
  const stop = new AbortController();
  const options = { signal: stop.signal, onProgress: () => stop.abort() };
  await expect(save(configMaps(...names), clientOf('a'), options)).rejects.toMatchObject({
    code: 'interrupted',
    exitCode: 130,
    suggestions: [expect.stringMatching(/^Nothing was deleted, /)],
  });
  expect(await readdir(folder)).toEqual([]);
});

test.each([true, false])('the index says whether it was made before a fix: %s', async (isOfFix) => {
  await save(configMaps('a'), clientOf('a'), { isOfFix });
  expect((await readBackup(directory, { acceptEdited: false })).isOfFix).toBe(isOfFix);
  expect('fix' in (await readIndex())).toBe(isOfFix);
});

test('nor does one while many are listed', async () => {
  const stop = new AbortController();
  const client: ClusterClient = {
    ...fakeClient({}),
    request: async () => {
      stop.abort();
      throw new GcError('the request was cancelled', { code: 'cancelled' });
    },
  };
  await expect(save(configMaps(...many), client, { signal: stop.signal })).rejects.toMatchObject({
    code: 'interrupted',
    exitCode: 130,
  });
  expect(await readdir(folder)).toEqual([]);
});

test('the default folder is below the state directory, named by time and target', () => {
  const now = new Date('2026-01-31T12:00:00.123Z');
  const targets = [
    { kind: 'ClusterRole', name: 'system:Node' },
    { kind: 'Pod', name: 'x' },
  ];
  const name = '20260131T120000-123-clusterrole-system-node-and-1-more';
  expect([
    defaultBackupDirectory(now, targets, { HOME: '/home/ann' }),
    defaultBackupDirectory(now, targets, { HOME: '/home/ann', XDG_STATE_HOME: '/state' }),
    defaultBackupDirectory(now, targets, { KUBECTL_GC_BACKUP_DIR: '/b', XDG_STATE_HOME: '/s' }),
  ]).toEqual([
    `/home/ann/.local/state/kubectl-gc/backups/${name}`,
    `/state/kubectl-gc/backups/${name}`,
    `/b/${name}`,
  ]);
});

test('the name of the default folder is short, and one that every system takes', () => {
  const now = new Date('2026-01-31T12:00:00.123Z');
  const nameOf = (...names: string[]) => {
    const targets = names.map((name) => ({ kind: 'ClusterRole', name }));
    return defaultBackupDirectory(now, targets, { KUBECTL_GC_BACKUP_DIR: '/b' });
  };
  expect([nameOf(), nameOf('a: b?'), nameOf('a', 'b'), nameOf('x'.repeat(253))]).toEqual([
    '/b/20260131T120000-123',
    '/b/20260131T120000-123-clusterrole-a-b-',
    '/b/20260131T120000-123-clusterrole-a-and-1-more',
    `/b/20260131T120000-123-clusterrole-${'x'.repeat(67)}`,
  ]);
  // A relative path is not the user's folder, and the XDG specification has it ignored.
  const env = { HOME: '/home/ann', XDG_STATE_HOME: 'state' };
  expect(backupRoot(env)).toBe('/home/ann/.local/state/kubectl-gc/backups');
});
