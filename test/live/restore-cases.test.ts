import { expect, test } from 'vitest';
import { discover } from '../../src/cluster/list/discover.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { serveKind } from '../support/served-kinds.ts';
import { inNamespace, refTo, restoreStage } from './restore-stage.ts';

/** What a restoration meets in practice, through the command line, while every controller runs. */
const { cluster, backUp, restoreOf, remove, create, client } = restoreStage(
  'restore-cases',
  'restore-gone',
  'restore-stuck',
);
const configMaps = inNamespace('restore-cases', 'configmaps');

test('a definition, its objects and a namespace with all that is in it', async () => {
  const definition = customDefinition('Shelf', 'restore.example.com', { plural: 'shelves' });
  const path = await serveKind(cluster, definition);
  const shelves = '/apis/restore.example.com/v1/namespaces/restore-gone/shelves';
  const { types } = await discover(client());
  expect(types.find('restore.example.com/v1', 'Shelf')).toBeDefined();
  const shelf = await create(shelves, {
    apiVersion: 'restore.example.com/v1',
    kind: 'Shelf',
    metadata: { name: 'books' },
    spec: { boards: 3 },
  });
  const book = await create(inNamespace('restore-gone', 'secrets'), {
    metadata: { name: 'book', ownerReferences: [refTo(shelf)] },
    stringData: { text: 'once upon a time' },
  });
  const account = await cluster.get<KubeObject>(
    `${inNamespace('restore-gone', 'serviceaccounts')}/default`,
  );
  const gone = await cluster.get<KubeObject>('/api/v1/namespaces/restore-gone');
  const directory = await backUp(
    'definition',
    [await cluster.get(path)],
    [gone],
    [shelf],
    [book],
    [account],
  );
  await remove('/api/v1/namespaces/restore-gone');
  await remove(path);

  const { ends } = await restoreOf(`${directory} --yes`);
  expect(ends).toEqual({
    'CustomResourceDefinition shelves.restore.example.com': 'created',
    'Namespace restore-gone': 'created',
    'Shelf books': 'created',
    'Secret book': 'created',
    // Whoever is faster: this, or the controller that gives each namespace one.
    'ServiceAccount default': expect.stringMatching(/created|exists/),
  });
  const after = await cluster.get<KubeObject>(`${inNamespace('restore-gone', 'secrets')}/book`);
  expect(after.data).toEqual(book.data);
  const { metadata } = await cluster.get<KubeObject>(`${shelves}/books`);
  expect(after.metadata.ownerReferences).toEqual([{ ...refTo(shelf), uid: metadata.uid }]);
  const again = await restoreOf(`${directory} --yes`);
  expect([...new Set(Object.values(again.ends))]).toEqual(['exists']);
  await remove(path);
});

test('orphans get their owner back', async () => {
  const owner = await create(configMaps, { metadata: { name: 'parent' } });
  const path = `${configMaps}/orphan`;
  const orphan = await create(configMaps, {
    metadata: { name: 'orphan', ownerReferences: [refTo(owner)] },
  });
  const directory = await backUp('orphans', [owner], [orphan, 'orphaned']);
  await remove(`${configMaps}/parent`, 'Orphan');
  expect((await cluster.get<KubeObject>(path)).metadata.ownerReferences).toBeUndefined();
  const { ends } = await restoreOf(`${directory} --yes`);
  expect(ends).toEqual({ 'ConfigMap parent': 'created', 'ConfigMap orphan': 'relinked' });
  const { metadata } = await cluster.get<KubeObject>(`${configMaps}/parent`);
  const linked = await cluster.get<KubeObject>(path);
  expect(linked.metadata.uid).toBe(orphan.metadata.uid);
  expect(linked.metadata.ownerReferences).toEqual([{ ...refTo(owner), uid: metadata.uid }]);
  expect((await restoreOf(`${directory} --yes`)).ends).toEqual({
    'ConfigMap parent': 'exists',
    'ConfigMap orphan': 'exists',
  });
});

test('what the server refuses, and a namespace that is being deleted, do not stop the rest', async () => {
  const stuck = inNamespace('restore-stuck', 'configmaps');
  const held = await create(stuck, {
    metadata: { name: 'held', finalizers: ['example.com/hold'] },
  });
  const inside = await create(stuck, { metadata: { name: 'inside' } });
  const services = inNamespace('restore-cases', 'services');
  const service = await create(services, {
    metadata: { name: 'refused' },
    spec: { ports: [{ port: 80 }] },
  });
  const child = await create(configMaps, {
    metadata: { name: 'child-of-refused', ownerReferences: [refTo(service)] },
  });
  const other = await create(configMaps, { metadata: { name: 'other' } });
  const directory = await backUp('refused', [held], [inside], [service], [child], [other]);
  await remove(`${services}/refused`);
  await remove(`${configMaps}/child-of-refused`);
  await remove(`${configMaps}/other`);
  await cluster.request('/api/v1/namespaces/restore-stuck', { method: 'DELETE' });
  await untilGone(cluster, `${stuck}/inside`);
  const quotas = inNamespace('restore-cases', 'resourcequotas');
  await create(quotas, { metadata: { name: 'none' }, spec: { hard: { services: '0' } } });
  await eventually('the quota', async () => {
    const quota = await cluster.get<{ status?: { hard?: object } }>(`${quotas}/none`);
    return quota.status?.hard;
  });

  const rehearsed = await restoreOf(`${directory} --dry-run=server`, 4);
  expect(rehearsed.document.state).toBe('rehearsed');
  expect((await cluster.request(`${configMaps}/other`)).status).toBe(404);
  const { ends, document, stderr } = await restoreOf(`${directory} --yes`, 4);
  expect(ends).toEqual({
    'ConfigMap held': 'cannot',
    'ConfigMap inside': 'cannot',
    'Service refused': 'refused',
    'ConfigMap child-of-refused': 'refused',
    'ConfigMap other': 'created',
  });
  const told = new Map(
    document.objects.map(({ name, because, message }) => [name, message ?? because]),
  );
  expect(told.get('inside')).toBe(
    'the namespace restore-stuck is being deleted: nothing can be created in it',
  );
  expect(told.get('refused')).toContain('exceeded quota');
  expect(told.get('child-of-refused')).toContain('Service refused was not');
  expect(stderr).toContain('service/refused in namespace restore-cases not restored: ');

  await remove(`${quotas}/none`);
  await cluster.patch(`${stuck}/held`, { metadata: { finalizers: [] } });
  const again = await restoreOf(`${directory} service/refused --yes`);
  expect(again.ends).toEqual({
    'Service refused': 'created',
    'ConfigMap child-of-refused': 'created',
  });
});
