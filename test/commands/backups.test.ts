import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backupsReport } from '../../src/questions/backups/document.ts';
import { backupsAnswer } from '../../src/questions/backups/text.ts';
import { sealBackup } from '../../src/restore/backup/backup.ts';
import { listBackups } from '../../src/restore/backup/list-backups.ts';
import { validDocument } from '../contract/valid-document.ts';
import { gcHere } from '../support/run-here.ts';

/** What is said where there is none stands in test/fixtures/transcripts/by-hand.txt. */
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
    ...{ apiVersion: 'kubectl-gc/v1', kind: 'Backup', format: 1, plan: 'sha256:plan' },
    cluster: { server: 'https://shop.example.com', uid: 'uid-of-shop' },
    createdAt: new Date(now - days * day).toISOString(),
    objects: [
      {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'app', uid: 'uid-app' },
        ...{ resource: 'configmaps', namespaced: true, fate: 'deleted' },
        ...{ ownerReferences: [], finalizers: [], file, sha256: '' },
      },
    ],
    ...{ problems: [], unread: [], ...changes },
  };
  writeFileSync(join(folder, 'backup.json'), JSON.stringify(sealBackup(index)));
}

const env = () => ({ KUBECTL_GC_BACKUP_DIR: root, NO_COLOR: '1' });
const snapshot = '--against examples/clusters/shop.json.gz --other-cluster --accept-edited';

/** A backup whose writing was interrupted so many days ago, and anything else that old. */
function age(name: string, days: number): void {
  mkdirSync(join(root, name, 'objects'), { recursive: true });
  utimesSync(join(root, name), (now - days * day) / 1000, (now - days * day) / 1000);
}

test('backups lists each backup with its age, cluster, objects, size and holes, and no other folder', async () => {
  backup('old', 40);
  backup('new', 2, { unread: [{ reason: 'forbidden', message: 'secrets' }] });
  backup('newer', 1, { format: 99 });
  age('cut', 3);
  age('newer', 1);
  mkdirSync(join(root, 'notes'));
  writeFileSync(join(root, 'notes', 'a.txt'), '');
  const { stdout } = await gcHere('backups', env());
  const rows = stdout.split('\n').slice(1, -1);
  expect(rows.map((row) => row.replaceAll(/ {2,}/g, ' | ').trim())).toEqual([
    'newer | 24h | <unknown> | <unknown> | 0 | 2.5 KiB | unreadable',
    'new | 2d | https://shop.example.com | ConfigMap app | 1 | 2.6 KiB | 1',
    'cut | 3d | <unknown> | <unknown> | 0 | <unknown> | cut off',
    'old | 40d | https://shop.example.com | ConfigMap app | 1 | 2.5 KiB | none',
  ]);
  const names = ['newer', 'new', 'cut', 'old'].map((name) => `${join(root, name)}\n`);
  expect((await gcHere('backups -o name', env())).stdout).toBe(names.join(''));
  const { items } = validDocument('backups', (await gcHere('backups -o json', env())).stdout);
  expect(items[1]).toMatchObject({
    ...{ path: join(root, 'new'), state: 'whole', holes: ['secrets'] },
    first: { kind: 'ConfigMap', name: 'app' },
    kinds: [{ kind: 'ConfigMap', objects: 1 }],
  });
});

test('a name is whole on any terminal, and restore takes it, and latest', async () => {
  const name = '20260131T120000-123-deployment-a-name-of-some-length';
  backup(name, 2);
  backup('20260101T000000-000-older', 30);
  backup('20260202T000000-000-of-a-newer-version', 1, { format: 99 });
  const options = { now, width: 80, colour: false };
  const report = backupsReport(root, await listBackups(root), 'name');
  expect(backupsAnswer.tableOf(report, options)).toMatch(new RegExp(`^${name}$`, 'm'));
  for (const named of [name, 'latest', join(root, name)]) {
    const { stdout, stderr } = await gcHere(`restore ${named} ${snapshot} -o json`, env());
    expect(stderr).toContain('Nothing was sent');
    expect(JSON.parse(stdout).source.paths).toEqual([join(root, name)]);
  }
  const { code, stderr } = await gcHere(`restore 20260131T120000-999-unknown ${snapshot}`, env());
  expect([code, stderr]).toEqual([3, expect.stringMatching(/there is no such folder/)]);
});

test('restore --list is the same list, and restore takes each name of it', async () => {
  backup('20260131T120000-123-deployment-web', 2);
  expect(await gcHere('restore --list', env())).toEqual(await gcHere('backups', env()));
  for (const [list, own] of [
    ['restore --list', env()],
    [`restore --list ${root}`, {}],
  ] as const) {
    const { items } = JSON.parse((await gcHere(`${list} -o json`, own)).stdout);
    const { code, stdout } = await gcHere(`restore ${items[0].id} ${snapshot} -o json`, own);
    expect([code, JSON.parse(stdout).source.paths]).toEqual([0, [items[0].path]]);
  }
});

test('at 80 columns, the name of a backup and of the first object are whole', async () => {
  const first = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: 'shop',
    name: 'data-db-0',
  };
  const file = 'objects/shop/configmaps/app.yaml';
  const saved = { ...first, uid: 'u', resource: 'persistentvolumeclaims', namespaced: true };
  const rest = { fate: 'deleted', ownerReferences: [], finalizers: [], file, sha256: '' };
  const name = '2026-11-30T16-42-10Z-persistentvolumeclaim-data-db-0';
  backup(name, 1, { objects: [{ ...saved, ...rest }] });
  const report = backupsReport(root, await listBackups(root), 'name');
  const text = backupsAnswer.tableOf(report, { colour: false, width: 80, now });
  const lines = text.split('\n');
  expect(lines.some((line) => line.includes(name))).toBe(true);
  expect(lines.some((line) => line.includes('PersistentVolumeClaim data-db-0'))).toBe(true);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});
