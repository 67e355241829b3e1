import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDump } from '../../../src/sources/backup/read-dump.ts';
import { kube, ownedBy } from '../../backup/saved.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-dump-'));
});
afterEach(() => rm(folder, { recursive: true }));

const now = () => new Date('2026-01-31T12:00:00Z');

test("a folder as Velero writes it, and kubectl's list, each object in full", async () => {
  const velero = join(folder, 'resources/configmaps/namespaces/shop');
  mkdirSync(velero, { recursive: true });
  const app = kube('v1 ConfigMap app', {}, { data: { a: '1' } });
  const part = kube('v1 ConfigMap part', ownedBy('v1 ConfigMap app'));
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } };
  writeFileSync(join(velero, 'app.json'), JSON.stringify(app));
  // All on one line.
  const list = { apiVersion: 'v1', kind: 'List', items: [part, manifest] };
  writeFileSync(join(folder, 'list.json'), JSON.stringify(list));
  const { saved, problems } = await readDump([folder], { now });
  expect(problems).toEqual([]);
  expect(saved.map(({ name, uid, manifest: whole }) => [name, uid, whole])).toEqual([
    ['part', 'uid-part', part],
    ['new', '', manifest],
    ['app', 'uid-app', app],
  ]);
});

test('what holds metadata only cannot be restored from', async () => {
  const snapshot = 'examples/clusters/shop.json.gz';
  const { saved } = await readDump([snapshot], { now });
  expect(new Set(saved.map(({ fault }) => fault))).toEqual(
    new Set([`${snapshot} holds its metadata only`]),
  );
});
