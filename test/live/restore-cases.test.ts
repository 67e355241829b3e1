import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Restoration } from '../../src/backup/restoration.ts';
import type { ClusterClient } from '../../src/client/cluster-client.ts';
import { connect } from '../../src/client/connect.ts';
import { sealBackup, writeBackup } from '../../src/executor/write-backup.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Fate } from '../../src/plan/plan.ts';
import { discover } from '../../src/sources/cluster/discover.ts';
import { gcHere } from '../cli/run-here.ts';
import { validatorOf } from '../contract/schemas.ts';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { plannedOf } from './restore-trees.ts';

/** What a restoration meets in practice, through the command line, while every controller runs. */
const cluster = sharedControlPlane();
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-restore-cases-'));
const namespaces = ['restore-cases', 'restore-gone', 'restore-stuck'];
const valid = { restore: validatorOf('restore'), backup: validatorOf('backup') };
let client: ClusterClient;
let clusterUid: string;

beforeAll(async () => {
  for (const name of namespaces) await cluster.create('/api/v1/namespaces', { metadata: { name } });
  client = await connect({ kubeconfig: cluster.kubeconfigPath });
  const { metadata } = await cluster.get<KubeObject>('/api/v1/namespaces/kube-system');
  clusterUid = String(metadata.uid);
});
afterAll(async () => {
  client.close();
  for (const name of namespaces) {
    await cluster.request(`/api/v1/namespaces/${name}`, { method: 'DELETE' });
  }
  rmSync(folder, { recursive: true });
});

/** Saves objects as a plan would that lets them go. */
async function backUp(name: string, ...objects: [KubeObject, Fate?][]): Promise<string> {
  const directory = join(folder, name);
  const { types } = await discover(client);
  const { problems } = await writeBackup(
    {
      apiVersion: 'kubectl-gc/v1',
      kind: 'Plan',
      cluster: { server: client.server, uid: clusterUid },
      createdAt: '2026-01-31T12:00:00Z',
      requests: [],
      objects: objects.map(([object, fate = 'deleted']) => plannedOf(object, 1, fate)),
      remarks: [],
      undetermined: [],
      coverage: { complete: true, kinds: 0, objects: 0, problems: [] },
    },
    client,
    types,
    { directory },
  );
  expect(problems).toEqual([]);
  valid.backup(JSON.parse(readFileSync(join(directory, 'backup.json'), 'utf8')));
  expect(valid.backup.errors).toBeNull();
  return directory;
}

async function restoreOf(line: string, code = 0) {
  const run = await gcHere(`restore ${line} -o json --kubeconfig ${cluster.kubeconfigPath}`);
  expect(run.code, run.stderr).toBe(code);
  const document = JSON.parse(run.stdout) as Restoration;
  valid.restore(document);
  expect(valid.restore.errors).toBeNull();
  const ends = document.objects.map(({ kind, name, action, outcome }) => {
    return [`${kind} ${name}`, outcome ?? action];
  });
  return { document, stderr: run.stderr, ends: Object.fromEntries(ends) as Record<string, string> };
}

const create = (path: string, object: object) => cluster.create<KubeObject>(path, object);
const refTo = ({ apiVersion, kind, metadata: { name, uid } }: KubeObject) => ({
  apiVersion,
  kind,
  name,
  uid,
});
const inNamespace = (name: string, resource: string) => `/api/v1/namespaces/${name}/${resource}`;
const configMaps = inNamespace('restore-cases', 'configmaps');

async function remove(path: string, policy = 'Background'): Promise<void> {
  await cluster.request(path, { method: 'DELETE', body: { propagationPolicy: policy } });
  await eventually(`the end of ${path}`, async () =>
    (await cluster.request(path)).status === 404 ? true : undefined,
  );
}

test('a definition, its objects and a namespace with all that is in it', async () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const names = { plural: 'shelves', singular: 'shelf', kind: 'Shelf', listKind: 'ShelfList' };
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  const definition = await create(definitions, {
    metadata: { name: 'shelves.restore.example.com' },
    spec: {
      group: 'restore.example.com',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  const shelves = '/apis/restore.example.com/v1/namespaces/restore-gone/shelves';
  await eventually('the new kind', async () =>
    (await cluster.request(shelves)).status === 200 ? true : undefined,
  );
  const { types } = await discover(client);
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
  const directory = await backUp('definition', [definition], [gone], [shelf], [book], [account]);
  await remove('/api/v1/namespaces/restore-gone');
  await remove(`${definitions}/shelves.restore.example.com`);

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
  await remove(`${definitions}/shelves.restore.example.com`);
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
  await eventually('the end of inside', async () =>
    (await cluster.request(`${stuck}/inside`)).status === 404 ? true : undefined,
  );
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

test('a claim is bound to its volume again, as long as that is there', async () => {
  const volumes = '/api/v1/persistentvolumes';
  const claims = inNamespace('restore-cases', 'persistentvolumeclaims');
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  await create(volumes, {
    metadata: { name: 'restore-disk' },
    spec: {
      ...spec,
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/tmp/nowhere' },
    },
  });
  await create(claims, {
    metadata: { name: 'data' },
    spec: { ...spec, resources: { requests: { storage: '1Gi' } }, volumeName: 'restore-disk' },
  });
  const bound = () =>
    eventually('a bound claim', async () => {
      const claim = await cluster.get<KubeObject>(`${claims}/data`);
      return (claim.status as { phase?: string })?.phase === 'Bound' ? claim : undefined;
    });
  const directory = await backUp('claim', [await bound()]);
  await remove(`${claims}/data`);
  const { document } = await restoreOf(`${directory} --yes`);
  expect(document.objects.map(({ outcome, notes }) => [outcome, notes])).toEqual([
    ['created', ['its volume restore-disk is still there, with its data, and is bound again']],
  ]);
  expect((await bound()).spec).toMatchObject({ volumeName: 'restore-disk' });
  await remove(`${claims}/data`);
  await remove(`${volumes}/restore-disk`);
  const { document: without } = await restoreOf(`${directory} --yes`);
  expect(without.objects.map(({ outcome, notes }) => [outcome, notes])).toEqual([
    [
      'created',
      ['its volume restore-disk is gone: the claim gets a new, empty volume, and the data is gone'],
    ],
  ]);
});

test('a Deployment comes back, and its controllers take its ReplicaSet as theirs', async () => {
  const apps = '/apis/apps/v1/namespaces/restore-cases';
  const labels = { app: 'web' };
  const web = await create(`${apps}/deployments`, {
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] },
      },
    },
  });
  type List = { items: KubeObject[] };
  const listed = async (path: string, kind: string, apiVersion: string) => {
    const { items } = await cluster.get<List>(`${path}?labelSelector=app%3Dweb`);
    return items.length === 1 ? ({ ...items[0], apiVersion, kind } as KubeObject) : undefined;
  };
  const replicaSet = () =>
    eventually('one ReplicaSet', () => listed(`${apps}/replicasets`, 'ReplicaSet', 'apps/v1'));
  const pod = () =>
    eventually('one pod', () => listed(inNamespace('restore-cases', 'pods'), 'Pod', 'v1'));
  const before = await replicaSet();
  const directory = await backUp('deployment', [web], [before], [await pod()]);
  await remove(`${apps}/deployments/web`, 'Foreground');
  const { ends } = await restoreOf(`${directory} --yes`);
  expect(Object.values(ends)).toEqual(['created', expect.stringMatching(/created|exists/), 'skip']);
  const after = await replicaSet();
  const restored = await cluster.get<KubeObject>(`${apps}/deployments/web`);
  expect(after.metadata.name).toBe(before.metadata.name);
  expect(after.metadata.ownerReferences).toMatchObject([{ uid: restored.metadata.uid }]);
  expect((await pod()).metadata.ownerReferences).toMatchObject([{ uid: after.metadata.uid }]);
});

test('a backup of another cluster is refused unless it is meant', async () => {
  const object = await create(configMaps, { metadata: { name: 'moved' } });
  const directory = await backUp('moved', [object]);
  await remove(`${configMaps}/moved`);
  const path = join(directory, 'backup.json');
  const { digest: _, ...index } = JSON.parse(readFileSync(path, 'utf8'));
  const elsewhere = { server: 'https://elsewhere.example.com', uid: 'another' };
  writeFileSync(path, JSON.stringify(sealBackup({ ...index, cluster: elsewhere })));
  const line = `restore ${directory} --yes --kubeconfig ${cluster.kubeconfigPath}`;
  const refused = await gcHere(line);
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain('the backup is of the cluster https://elsewhere.example.com');
  expect((await restoreOf(`${directory} --yes --other-cluster`)).ends).toEqual({
    'ConfigMap moved': 'created',
  });
});

test("other people's manifests: what the collector would take, and the references mended in a pipe", async () => {
  const owner = await create(configMaps, { metadata: { name: 'living' } });
  const reference = { ...refTo(owner), uid: '0b5c0000-0000-4000-8000-000000000000' };
  const dump = join(folder, 'dump.json');
  const manifest = (name: string, ...ownerReferences: object[]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'restore-cases', uid: `old-${name}`, ownerReferences },
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
  const shown = document.objects.map(({ name, action, asSaved }) => [
    name,
    action,
    asSaved?.action,
  ]);
  expect(shown).toEqual([
    ['free', 'create', undefined],
    ['stale', 'create', 'delete'],
    ['below', 'create', 'delete'],
    ['lost', 'cannot', 'delete'],
  ]);
  const table = await gcHere(
    `restore --from ${dump} --preview --kubeconfig ${cluster.kubeconfigPath}`,
  );
  expect(table.stderr).toContain('3 objects would be deleted by the garbage collector at once.');

  const pipe = `restore --from ${dump} -o yaml --dry-run=client --kubeconfig ${cluster.kubeconfigPath}`;
  const { stdout, stderr } = await gcHere(pipe);
  expect(stderr).toContain('ConfigMap lost is left out: the garbage collector would delete it');
  expect(stderr).toContain('1 reference is left out');
  const applied = await cluster.kubectl(['create', '-f', '-', '-o', 'name'], { input: stdout });
  expect(applied.stdout.split('\n').sort()).toEqual([
    '',
    'configmap/below',
    'configmap/free',
    'configmap/stale',
  ]);
  const stale = await cluster.get<KubeObject>(`${configMaps}/stale`);
  expect(stale.metadata.ownerReferences).toEqual([refTo(owner)]);
  // What the pipe could not know is made up for by a restoration.
  const { ends } = await restoreOf(`--from ${dump} --yes`, 4);
  expect(ends).toMatchObject({ 'ConfigMap below': 'relinked', 'ConfigMap stale': 'exists' });
  const below = await cluster.get<KubeObject>(`${configMaps}/below`);
  expect(below.metadata.ownerReferences).toEqual([refTo(stale)]);
});
