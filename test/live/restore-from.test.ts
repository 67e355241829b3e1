import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { sealBackup } from '../../src/restore/backup/backup.ts';
import { eventually } from '../support/eventually.ts';
import { pathOf } from '../support/object-address.ts';
import { gcHere } from '../support/run-here.ts';
import { startWatching } from '../support/watching.ts';
import { onTerminal } from './on-terminal.ts';
import { refTo, restoreStage } from './restore-stage.ts';

/** Backups that were not made here, and runs that are cut off from outside. */
const { cluster, folder, backUp, restoreOf, remove } = restoreStage('restore-from');
const configMap = (name: string) => `ConfigMap restore-from/${name}`;
const create = (name: string, metadata: object = {}) => cluster.make(configMap(name), { metadata });
const kubeconfig = `--kubeconfig ${cluster.kubeconfigPath}`;

test('a backup of another cluster is refused unless it is meant', async () => {
  const directory = await backUp('moved', [await create('moved')]);
  await remove(configMap('moved'));
  const path = join(directory, 'backup.json');
  const { digest: _, ...index } = JSON.parse(readFileSync(path, 'utf8'));
  const elsewhere = { server: 'https://elsewhere.example.com', uid: 'another' };
  writeFileSync(path, JSON.stringify(sealBackup({ ...index, cluster: elsewhere })));
  const line = `restore ${directory} --yes ${kubeconfig}`;
  const refused = await gcHere(line);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain(' https://elsewhere.example.com');
  expect((await restoreOf(`${directory} --yes --other-cluster`)).ends).toEqual({
    'ConfigMap moved': 'created',
  });
});

test("other people's manifests: what the collector would take, and the references mended in a pipe", async () => {
  const owner = await create('living');
  const reference = { ...refTo(owner), uid: '0b5c0000-0000-4000-8000-000000000000' };
  const dump = join(folder, 'dump.json');
  const manifest = (name: string, ...ownerReferences: object[]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'restore-from', uid: `old-${name}`, ownerReferences },
    data: { from: 'elsewhere' },
  });
  const items = [
    manifest('stale', reference),
    manifest('lost', { ...reference, name: 'nobody' }),
    manifest('below', { ...reference, name: 'stale', uid: 'old-stale' }),
    manifest('free'),
  ];
  writeFileSync(dump, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));

  const { document } = await restoreOf(`--from ${dump} --preview`);
  const shown = document.objects.map(
    ({ name, action, asSaved }) => `${name} ${action} ${asSaved?.action}`,
  );
  expect(shown).toEqual([
    'free create undefined',
    'stale create delete',
    'below create delete',
    'lost cannot delete',
  ]);
  const table = await gcHere(`restore --from ${dump} --preview ${kubeconfig}`);
  expect(table.stderr).toContain('3 objects would be deleted');

  const pipe = `restore --from ${dump} -o yaml --dry-run=client ${kubeconfig}`;
  const { stdout, stderr } = await gcHere(pipe);
  expect(stderr).toContain('ConfigMap lost is left out');
  expect(stderr).toContain('1 reference is left out');
  const applied = await cluster.kubectl(['create', '-f', '-', '-o', 'name'], { input: stdout });
  expect(applied.stdout.split('\n').sort()).toEqual([
    '',
    'configmap/below',
    'configmap/free',
    'configmap/stale',
  ]);
  const stale = await cluster.get(configMap('stale'));
  expect(stale.metadata.ownerReferences).toEqual([refTo(owner)]);
  // What the pipe could not know is made up for by a restoration.
  const { ends } = await restoreOf(`--from ${dump} --yes`, 4);
  expect(ends).toMatchObject({ 'ConfigMap below': 'relinked', 'ConfigMap stale': 'exists' });
  const below = await cluster.get(configMap('below'));
  expect(below.metadata.ownerReferences).toEqual([refTo(stale)]);
});

test('a process that is killed, one that is interrupted, and one that ends its work', async () => {
  const top = await create('many');
  const middle = await create('many-middle', { ownerReferences: [refTo(top)] });
  const objects = [top, middle];
  for (let index = 0; index < 150; index++) {
    const ownerReferences = [refTo(index % 2 === 0 ? top : middle)];
    objects.push(await create(`many-${index}`, { ownerReferences, labels: { many: 'yes' } }));
  }
  const directory = await backUp('many', ...objects.map((object): [KubeObject] => [object]));
  await remove(configMap('many'));
  const count = async () => {
    const path = `${pathOf(configMap(''))}?labelSelector=many%3Dyes`;
    return (await cluster.list(path)).length;
  };
  await eventually('the end of all', async () => (await count()) === 0);

  const endOf = async (signal: NodeJS.Signals, at: number) => {
    const run = startWatching(`restore ${directory} --yes`, {
      KUBECONFIG: cluster.kubeconfigPath,
    });
    await eventually(`${at} objects`, async () => (await count()) >= at);
    return run.end(signal);
  };
  expect((await endOf('SIGKILL', 1)).code).toBeNull();
  const interrupted = await endOf('SIGINT', (await count()) + 5);
  expect([interrupted.code, await count()], interrupted.stderr).toEqual([130, expect.any(Number)]);
  expect(await count()).toBeLessThan(150);
  expect(interrupted.stderr).toContain('Run it again');
  const { ends } = await restoreOf(`${directory} --yes`);
  expect(new Set(Object.values(ends))).toEqual(new Set(['created', 'exists']));
  const owner = await cluster.get(configMap('many-middle'));
  const { metadata } = await cluster.get(configMap('many-149'));
  expect(metadata.ownerReferences).toEqual([{ ...refTo(middle), uid: owner.metadata.uid }]);
  const again = await restoreOf(`${directory} --yes`);
  expect(new Set(Object.values(again.ends))).toEqual(new Set(['exists']));
});

test('on a terminal it asks, and without one it does nothing', async () => {
  const directory = await backUp('asked', [await create('asked')]);
  await remove(configMap('asked'));
  const isThere = () => cluster.isHealthy(configMap('asked'));
  const script = await gcHere(`restore ${directory} ${kubeconfig}`);
  expect([script.code, await isThere()]).toEqual([2, false]);
  expect(script.stdout).toMatch(/configmap +restore-from +asked +create/);
  expect(script.stderr).toContain('Add --yes to restore');
  const env = { KUBECONFIG: cluster.kubeconfigPath };
  for (const [typed, isMade, said] of [
    ['n\n', false, 'Nothing was created.'],
    ['y\n', true, 'Done: 1 created.'],
  ] as const) {
    const { code, shown } = await onTerminal(`restore ${directory}`, { env, typed });
    expect([code, await isThere()], shown).toEqual([0, isMade]);
    expect(shown).toContain(said);
  }
});
