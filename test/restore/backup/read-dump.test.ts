import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDump } from '../../../src/restore/backup/read-dump.ts';
import { kube, ownedBy } from '../saved.ts';

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

test('unreadable parts of a dump are reported', async () => {
  writeFileSync(join(folder, 'broken.yaml'), 'kind: [');
  writeFileSync(join(folder, 'app.json'), JSON.stringify(kube('v1 ConfigMap app')));
  const { problems, saved } = await readDump([folder], { now });
  expect(saved).toHaveLength(1);
  expect(problems.map(({ path }) => path)).toEqual([join(folder, 'broken.yaml')]);
});

test('what was being deleted when it was dumped is read as such', async () => {
  const going = kube('v1 ConfigMap going', { deletionTimestamp: '2026-01-31T12:00:00Z' });
  writeFileSync(join(folder, 'a.json'), JSON.stringify(going));
  writeFileSync(join(folder, 'b.json'), JSON.stringify(kube('v1 ConfigMap app')));
  const { saved } = await readDump([folder], { now });
  expect(saved.map(({ name, isTerminating }) => [name, isTerminating])).toEqual([
    ['going', true],
    ['app', undefined],
  ]);
});

test('metadata alone cannot be restored', async () => {
  const snapshot = 'examples/clusters/shop.json.gz';
  const { saved } = await readDump([snapshot], { now });
  expect(new Set(saved.map(({ fault }) => fault))).toEqual(
    new Set([`${snapshot} contains only its metadata`]),
  );
});

test('a definition says which versions it will serve', async () => {
  const names = { kind: 'Crate', plural: 'crates' };
  const versions = [
    { name: 'v1beta1', served: true },
    { name: 'v1alpha1', served: false },
    { name: 'v1', served: true },
  ];
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions };
  const text = 'apiextensions.k8s.io/v1 CustomResourceDefinition crates.example.com';
  writeFileSync(join(folder, 'crd.json'), JSON.stringify(kube(text, {}, { spec })));
  const app = kube('v1 ConfigMap app');
  writeFileSync(join(folder, 'app.json'), JSON.stringify(app));
  const { saved } = await readDump([folder], { now });
  const defined = saved.map(({ name, defines }) => [name, defines?.map(({ version }) => version)]);
  expect(Object.fromEntries(defined)).toEqual({
    app: undefined,
    'crates.example.com': ['v1', 'v1beta1'],
  });
});
