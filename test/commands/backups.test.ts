import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sealBackup } from '../../src/restore/backup/backup.ts';
import { writeUndo } from '../../src/restore/backup/undo.ts';
import { validatorOf } from '../contract/schemas.ts';
import { gcHere } from '../support/run-here.ts';

const now = Date.now();
const day = 86_400_000;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'backups-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** A backup of one ConfigMap, so many days old. */
function backup(name: string, days: number, changes: object = {}): void {
  const folder = join(root, name);
  const file = 'objects/shop/configmaps/app.yaml';
  mkdirSync(join(folder, 'objects/shop/configmaps'), { recursive: true });
  writeFileSync(join(folder, file), 'x'.repeat(2048));
  const index = {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Backup',
    format: 1,
    cluster: { server: 'https://shop.example.com', uid: 'uid-of-shop' },
    createdAt: new Date(now - days * day).toISOString(),
    plan: 'sha256:plan',
    objects: [
      {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'app', uid: 'uid-app' },
        ...{ resource: 'configmaps', namespaced: true, fate: 'deleted' },
        ...{ ownerReferences: [], finalizers: [], file, sha256: '' },
      },
    ],
    problems: [],
    unread: [],
    ...changes,
  };
  writeFileSync(join(folder, 'backup.json'), JSON.stringify(sealBackup(index)));
}

/** The folders that are left. */
const left = () => readdirSync(root).sort();
const run = (line: string) => gcHere(`backups ${root} ${line}`);

async function listed(line = ''): Promise<string[]> {
  const { stdout } = await run(line);
  return stdout
    .split('\n')
    .slice(1, -1)
    .map((row) => row.replaceAll(/ {2,}/g, ' | ').trim());
}

function cutOff(name: string, days: number): void {
  mkdirSync(join(root, name, 'objects'), { recursive: true });
  utimesSync(join(root, name), (now - days * day) / 1000, (now - days * day) / 1000);
}

test('each backup is listed with its age, cluster, objects, size and holes; nothing else is', async () => {
  backup('old', 40);
  backup('new', 2, { unread: [{ reason: 'forbidden', message: 'cannot list secrets in shop' }] });
  backup('newer', 1, { format: 99 });
  cutOff('cut', 3);
  utimesSync(join(root, 'newer'), (now - day) / 1000, (now - day) / 1000);
  mkdirSync(join(root, 'notes'));
  writeFileSync(join(root, 'notes', 'a.txt'), '');
  expect(await listed()).toEqual([
    'newer | 24h | <unknown> | <unknown> | 0 | 2.5 KiB | unreadable',
    'new | 2d | https://shop.example.com | ConfigMap app | 1 | 2.6 KiB | 1',
    'cut | 3d | <unknown> | <unknown> | 0 | 0 B | cut off',
    'old | 40d | https://shop.example.com | ConfigMap app | 1 | 2.5 KiB | none',
  ]);
  const { stdout } = await run('-o name');
  expect(stdout.split('\n')).toEqual([
    ...['newer', 'new', 'cut', 'old'].map((name) => join(root, name)),
    '',
  ]);
});

test('the document is as its schema says, with every hole in words', async () => {
  backup('new', 2, { unread: [{ reason: 'forbidden', message: 'cannot list secrets in shop' }] });
  const { stdout } = await run('-o json');
  const document = JSON.parse(stdout);
  const isValid = validatorOf('backups');
  isValid(document);
  expect(isValid.errors ?? null).toBe(null);
  expect(document.items[0]).toMatchObject({
    path: join(root, 'new'),
    state: 'whole',
    first: { kind: 'ConfigMap', name: 'app' },
    kinds: [{ kind: 'ConfigMap', objects: 1 }],
    holes: ['cannot list secrets in shop'],
    prune: false,
  });
});

test('what is too old or too many is deleted, and what cannot be read never is', async () => {
  for (const [name, days] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
    ['d', 60],
  ] as const)
    backup(name, days);
  backup('other', 50, { cluster: { server: 'https://other.example.com', uid: 'uid-of-other' } });
  backup('strange', 90, { format: 99 });
  cutOff('cut', 70);
  const refused = await run('--prune --keep 2');
  expect([refused.code, left().length]).toEqual([2, 7]);
  expect(refused.stderr).toMatch(
    /there is no terminal on which to confirm that these 2 backups may go/,
  );
  const kept = await run('--prune --keep 2 --yes');
  expect([kept.code, left()]).toEqual([0, ['a', 'b', 'cut', 'other', 'strange']]);
  expect(kept.stderr).toMatch(/^2 of 2 backups deleted\.$/m);
  const young = await run('--prune --older-than 1000h --yes');
  expect([young.code, left()]).toEqual([0, ['a', 'b', 'strange']]);
  const none = await run('--prune --older-than 1000h --yes');
  expect(none.stderr).toMatch(/^No backup goes beyond the limits\.$/m);
});

test('what a fix keeps to be taken back is a backup like others, and its log stays', async () => {
  backup('20260131T120000-fix-web', 50);
  await writeUndo(join(root, '20260131T120000-fix-web'), []);
  writeFileSync(join(root, 'fixes.jsonl'), '{}\n');
  expect((await listed()).map((row) => row.split(' | ')[0])).toEqual(['20260131T120000-fix-web']);
  expect((await run('--prune --older-than 24h --yes')).code).toBe(0);
  expect(left()).toEqual(['fixes.jsonl']);
});

test('a folder that holds something else is left as it is', async () => {
  backup('a', 50);
  writeFileSync(join(root, 'a', 'objects/shop/mine.txt'), 'mine');
  const { code, stderr } = await run('--prune --older-than 24h --yes');
  expect([code, left()]).toEqual([3, ['a']]);
  expect(stderr).toMatch(/^Warning: not deleted: .*mine\.txt is not part of the backup$/m);
  expect(statSync(join(root, 'a', 'backup.json')).isFile()).toBe(true);
});

test.each([
  ['--prune', /--prune needs a limit/],
  ['--prune --older-than 3d', /invalid argument "3d" for "--older-than": .*unknown unit/],
  ['--prune --older-than -1h', /must not be negative|invalid argument/],
  ['--prune --keep many', /invalid argument "many" for "--keep": it must be a number/],
  ['elsewhere', /Name one folder that holds backups, or none/],
])('wrong usage: %s', async (line, message) => {
  const { code, stderr } = await run(line);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});

test('before the first backup there is none, and a file is no folder of backups', async () => {
  const nowhere = join(root, 'nowhere');
  expect(await gcHere(`backups ${nowhere}`)).toMatchObject({
    code: 0,
    stdout: `No backups found in ${nowhere}.\n`,
  });
  writeFileSync(join(root, 'file'), '');
  expect(await gcHere(`backups ${join(root, 'file')}`)).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/it is not a folder/),
  });
});
