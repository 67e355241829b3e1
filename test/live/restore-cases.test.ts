import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { untilGone } from '../support/eventually.ts';
import { serveKind } from '../support/served-kinds.ts';
import { noMore, refTo, restoreStage } from './restore-stage.ts';

/** What a restoration meets in practice, through the command line, while every controller runs. */
const { cluster, backUp, restoreOf, remove } = restoreStage(
  'restore-cases',
  'restore-gone',
  'restore-stuck',
);
const configMap = (name: string) => `ConfigMap restore-cases/${name}`;

const alone = (object: KubeObject): [KubeObject] => [object];
/** Looks again at what the garbage collector must not change, much later. */
let isLasting: () => Promise<void>;

test('references in every version of a restored definition lead to the restored owner', async () => {
  const group = 'versions.example.com';
  const kind = customDefinition('Crate', group, {
    ...{ versions: ['v1', 'v1beta1'], retired: ['v1alpha1'] },
  });
  const definition = await serveKind(cluster, kind);
  const crate = (name: string) => `${group}/v1 Crate restore-cases/${name}`;
  const owner = await cluster.make(crate('owner'));
  const named = (version: string) => ({ ...refTo(owner), apiVersion: `${group}/${version}` });
  const rows = [
    ...['v1', 'v1beta1', 'v1alpha1', 'v1beta1'].map((version) => [configMap('part'), version]),
    ...['v1', 'v1beta1', 'v1beta1'].map((version) => [crate('inner'), version]),
  ];
  const dependents: { path: string; object: KubeObject; version: string }[] = [];
  for (const [index, [what = '', version = '']] of rows.entries()) {
    const path = `${what}-${index}`;
    const object = await cluster.make(path, { metadata: { ownerReferences: [named(version)] } });
    dependents.push({ path, object, version });
  }
  const objects = dependents.map(({ object }) => object);
  const directory = await backUp(
    'versions',
    [await cluster.get(definition)],
    ...[owner, ...objects].map(alone),
  );
  await remove(definition);
  for (const { path } of dependents) if (path.startsWith('ConfigMap')) await cluster.remove(path);

  const { ends, document } = await restoreOf(`${directory} --yes`);
  expect(new Set(Object.values(ends))).toEqual(new Set(['created']));
  const changes = document.objects.flatMap(({ references }) =>
    references.map(({ change }) => change),
  );
  expect(changes).not.toContain('kept');
  const uid = (await cluster.get(crate('owner'))).metadata.uid;
  expect(uid).not.toBe(owner.metadata.uid);
  const now = () =>
    Promise.all(
      dependents.map(async ({ path }) => {
        const { metadata } = (await cluster.find(path)) ?? {};
        return [path, metadata?.uid, metadata?.ownerReferences];
      }),
    );
  const restored = await now();
  expect(restored).toEqual(
    dependents.map(({ path, object, version }) => [
      path,
      expect.not.stringMatching(String(object.metadata.uid)),
      // A version that is not served is no way to an owner: the collector tries no other one.
      [{ ...named(version === 'v1alpha1' ? 'v1' : version), uid }],
    ]),
  );
  isLasting = async () => {
    expect(await now()).toEqual(restored);
    const again = await restoreOf(`${directory} --yes`);
    expect(new Set(Object.values(again.ends))).toEqual(new Set(['exists']));
    await remove(definition);
  };
});

test('a definition, its objects and a namespace with all that is in it', async () => {
  const definition = customDefinition('Shelf', 'restore.example.com', { plural: 'shelves' });
  const path = await serveKind(cluster, definition);
  const shelves = '/apis/restore.example.com/v1/namespaces/restore-gone/shelves';
  const shelf = await cluster.create(shelves, {
    apiVersion: 'restore.example.com/v1',
    kind: 'Shelf',
    metadata: { name: 'books' },
    spec: { boards: 3 },
  });
  const book = await cluster.make('Secret restore-gone/book', {
    metadata: { ownerReferences: [refTo(shelf)] },
    stringData: { text: 'once upon a time' },
  });
  const account = await cluster.get('ServiceAccount restore-gone/default');
  const gone = await cluster.get('Namespace restore-gone');
  const definitionNow = await cluster.get(path);
  const directory = await backUp('all', [definitionNow], [gone], [shelf], [book], [account]);
  await remove('Namespace restore-gone');
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
  const after = await cluster.get('Secret restore-gone/book');
  expect(after.data).toEqual(book.data);
  const { metadata } = await cluster.get(`${shelves}/books`);
  expect(after.metadata.ownerReferences).toEqual([{ ...refTo(shelf), uid: metadata.uid }]);
  const again = await restoreOf(`${directory} --yes`);
  expect([...new Set(Object.values(again.ends))]).toEqual(['exists']);
  await remove(path);
});

test('what the server refuses, and a namespace that is being deleted, do not stop the rest', async () => {
  const held = await cluster.make('ConfigMap restore-stuck/held', {
    metadata: { finalizers: ['example.com/hold'] },
  });
  const inside = await cluster.make('ConfigMap restore-stuck/inside');
  const refused = 'Service restore-cases/refused';
  const service = await cluster.make(refused, { spec: { ports: [{ port: 80 }] } });
  const metadata = { ownerReferences: [refTo(service)] };
  const child = await cluster.make(configMap('child-of-refused'), { metadata });
  const other = await cluster.make(configMap('other'));
  const directory = await backUp('refused', [held], [inside], [service], [child], [other]);
  for (const path of [refused, configMap('child-of-refused'), configMap('other')])
    await remove(path);
  await cluster.remove('Namespace restore-stuck');
  await untilGone(cluster, 'ConfigMap restore-stuck/inside');
  const allow = await noMore(cluster, 'restore-cases', 'services');

  const rehearsed = await restoreOf(`${directory} --dry-run=server`, 4);
  expect(rehearsed.document.state).toBe('rehearsed');
  expect(await cluster.isHealthy(configMap('other'))).toBe(false);
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

  await allow();
  await cluster.patch('ConfigMap restore-stuck/held', { metadata: { finalizers: [] } });
  const again = await restoreOf(`${directory} service/refused --yes`);
  expect(again.ends).toEqual({
    'Service refused': 'created',
    'ConfigMap child-of-refused': 'created',
  });
});

test('references in every version are still the same when all of this is over', () => isLasting());
