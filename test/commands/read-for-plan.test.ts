import { expect, test } from 'vitest';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { nowhere } from '../../src/kube/shell-command.ts';
import { readNear } from '../../src/shell/plan/plan-on-cluster.ts';
import { readForPlan } from '../../src/shell/plan/read-for-plan.ts';
import { type Answer, fakeClient } from '../cluster/fake-client.ts';
import { namespace } from '../deletion/plan/told.ts';
import { configMap } from '../support/builders.ts';

const root = '/api/v1/namespaces/shop';
const kinds = ['ConfigMap', 'PersistentVolumeClaim', 'PersistentVolume', 'Pod', 'Node'];
const types = new ResourceTypes(
  builtInTypes.filter(({ group, kind }) => group === '' && kinds.includes(kind)),
  { exhaustive: true, failed: [] },
);

const json = (body: object): Answer => ({ headers: { 'content-type': 'application/json' }, body });
const list = (kind: string, ...items: object[]) =>
  json({ apiVersion: 'v1', kind: `${kind}List`, metadata: { resourceVersion: '9' }, items });

const claim = (name: string, volumeName?: string, metadata: object = {}) => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, ...metadata },
  spec: { volumeName },
});
const volume = (name: string, claimName: string, policy = 'Delete', metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, uid: `uid-${name}`, ...metadata },
  spec: {
    persistentVolumeReclaimPolicy: policy,
    claimRef: { namespace: 'shop', name: claimName },
  },
});

const owned = {
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'uid-a' }],
};

const deletion = [configMap('a', { namespace: 'shop', uid: 'uid-a' })];

/** What is read for a deletion in a namespace with these claims, and volumes in the cluster. */
async function readVolumes(claims: object[], volumes: object[], metadata: object = {}) {
  const [first] = volumes;
  const a = { metadata: { name: 'a', namespace: 'shop', uid: 'uid-a', ...metadata } };
  const far = { metadata: { name: 'far', namespace: 'archive', uid: 'uid-far' } };
  const client = fakeClient({
    [`${root}/configmaps`]: list('ConfigMap', a),
    '/api/v1/configmaps': list('ConfigMap', a, far),
    [`${root}/pods`]: list('Pod'),
    '/api/v1/pods': list('Pod'),
    '/api/v1/nodes': list('Node'),
    [`${root}/persistentvolumeclaims`]: list('PersistentVolumeClaim', ...claims),
    '/api/v1/persistentvolumeclaims': list('PersistentVolumeClaim', ...claims),
    '/api/v1/persistentvolumes': list('PersistentVolume', ...volumes),
    '/api/v1/persistentvolumes/owner': json(first ?? {}),
  });
  const cluster = { client, types, serverVersion: 'v1.36.3', place: nowhere };
  const { snapshot, reached } = await readForPlan(
    cluster,
    deletion,
    await readNear(cluster, deletion),
  );
  const read = snapshot.records.filter(({ type }) => type.kind === 'PersistentVolume');
  return {
    paths: client.paths.map((path) => path.replace(/\?.*/, '')),
    reached: reached.map(({ name }) => name).sort(),
    volumes: read.map(({ name, facts }) => [name, facts?.persistentVolumeReclaimPolicy]),
  };
}

test('reads the volumes that are bound to the claims that it can reach, or made for one', async () => {
  const all = [
    volume('bound', 'data', 'Retain'),
    volume('reserved', 'wanted', 'Retain'),
    volume('other', 'elsewhere', 'Retain'),
  ];
  const claims = [claim('data', 'bound', owned), claim('wanted', undefined, owned)];
  const { volumes, reached } = await readVolumes(claims, all);
  expect(volumes).toEqual([
    ['bound', 'Retain'],
    ['reserved', 'Retain'],
  ]);
  expect(reached).toEqual(['a', 'bound', 'data', 'reserved', 'wanted']);
});

test('reads no volumes where it can reach no claim', async () => {
  const { paths } = await readVolumes([claim('data', 'bound')], [volume('bound', 'data')]);
  expect(paths.sort()).toEqual(
    ['configmaps', 'persistentvolumeclaims', 'pods'].map((resource) => `${root}/${resource}`),
  );
});

test('a volume that was read as an owner, too, is there once, with its reclaim policy', async () => {
  const reference = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'owner', uid: 'uid-owner' };
  const { paths, volumes } = await readVolumes(
    [claim('data', 'owner', owned)],
    [volume('owner', 'data')],
    { ownerReferences: [reference] },
  );
  expect(paths).toContain('/api/v1/persistentvolumes/owner');
  expect(volumes).toEqual([['owner', 'Delete']]);
});

const everywhere = '/api/v1/configmaps';

test.each([
  ['goes after its claim', 'Delete', {}],
  ['is being deleted', 'Retain', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
])('asks for all owners everywhere where a volume %s', async (_, policy, metadata) => {
  const bound = volume('bound', 'data', policy, metadata);
  const { paths, volumes } = await readVolumes([claim('data', 'bound', owned)], [bound]);
  expect(volumes).toEqual([['bound', policy]]);
  expect(paths.filter((path) => path === everywhere)).toEqual([everywhere]);
});

test('reads no other namespace where the volume is kept', async () => {
  const bound = volume('bound', 'data', 'Retain');
  const { paths, volumes } = await readVolumes([claim('data', 'bound', owned)], [bound]);
  expect([volumes, paths.includes(everywhere)]).toEqual([[['bound', 'Retain']], false]);
});

/** What is read for a deletion with these pods in its namespace, each on a Node of its own. */
async function readNodes(
  answers: Readonly<Record<string, Answer>>,
  pods = ['a', 'b'],
  metadata: object = owned,
) {
  const items = pods.map((name) => ({
    metadata: { name: `pod-${name}`, namespace: 'shop', uid: `uid-pod-${name}`, ...metadata },
    spec: { nodeName: name },
  }));
  const paths = Object.entries(answers).map(([name, answer]) => [`/api/v1/nodes/${name}`, answer]);
  const client = fakeClient({
    [`${root}/configmaps`]: list('ConfigMap', {
      metadata: { name: 'a', namespace: 'shop', uid: 'uid-a' },
    }),
    [`${root}/persistentvolumeclaims`]: list('PersistentVolumeClaim'),
    [`${root}/pods`]: list('Pod', ...items),
    ...Object.fromEntries(paths),
  });
  const cluster = { client, types, serverVersion: 'v1.36.3', place: nowhere };
  const { records, coverage } = (
    await readForPlan(cluster, deletion, await readNear(cluster, deletion))
  ).snapshot;
  return {
    read: {
      nodes: records.flatMap(({ type, name }) => (type.kind === 'Node' ? name : [])),
      asked: coverage.asked.map(({ name }) => name),
      problems: coverage.problems,
    },
    asked: client.paths.filter((path) => path.includes('/nodes/')),
  };
}

const nodeThat = (name: string, status: string) =>
  json({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: `uid-node-${name}` },
    status: { conditions: [{ type: 'Ready', status }] },
  });
const unseen = { nodes: [], asked: [], problems: [] };

test.each([
  ['ready', { b: nodeThat('b', 'True') }, ['a', 'b']],
  ['not ready', { b: nodeThat('b', 'Unknown') }, ['a', 'b']],
  ['gone', {}, ['a']],
])('reads the Nodes of owned pods, where one is %s', async (_, other, nodes) => {
  const { read, asked } = await readNodes({ a: nodeThat('a', 'True'), ...other });
  expect(asked.sort()).toEqual(['/api/v1/nodes/a', '/api/v1/nodes/b']);
  expect(read).toEqual({ nodes, asked: ['a', 'b'], problems: [] });
});

test('reads no Nodes of pods that the deletion does not reach', async () => {
  const answers = { a: nodeThat('a', 'True'), b: nodeThat('b', 'True') };
  expect(await readNodes(answers, ['a', 'b'], {})).toEqual({ read: unseen, asked: [] });
});

test('Nodes that may not be read are not known, and not asked for any further', async () => {
  const pods = Array.from({ length: 12 }, (_, index) => `n${index}`);
  const refused = {
    ...json({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Forbidden',
      code: 403,
    }),
    status: 403,
  };
  const answers = Object.fromEntries(pods.map((name) => [name, refused]));
  const { read, asked } = await readNodes(answers, pods);
  expect([read, asked.length]).toEqual([unseen, 8]);
});

/** What is listed for the deletion of a namespace where a ConfigMap owns what these records are, in other namespaces. */
async function listedWith(pods: readonly string[], phase: string) {
  const all = new ResourceTypes(
    builtInTypes.filter(
      ({ group, kind }) => group === '' && [...kinds, 'Namespace'].includes(kind),
    ),
    { exhaustive: true, failed: [] },
  );
  const config = { metadata: { name: 'a', namespace: 'shop', uid: 'uid-a' } };
  const homes = ['shop', ...pods].map((name) => ({ metadata: { name, uid: `uid-${name}` } }));
  const items = pods.map((namespace) => ({
    metadata: { name: 'pod', namespace, uid: `uid-pod-${namespace}`, ...owned },
  }));
  const whole = items.map((pod) => ({ ...pod, spec: { nodeName: 'n' }, status: { phase } }));
  const lists = ['persistentvolumes', 'persistentvolumeclaims', 'nodes'].map((resource) => [
    `/api/v1/${resource}`,
    list('List'),
  ]);
  const apart = pods.map((namespace, at) => [
    `/api/v1/namespaces/${namespace}/pods`,
    list('Pod', ...whole.slice(at, at + 1)),
  ]);
  const claims = ['shop', ...pods].map((namespace) => [
    `/api/v1/namespaces/${namespace}/persistentvolumeclaims`,
    list('PersistentVolumeClaim'),
  ]);
  const elsewhere = '?fieldSelector=metadata.namespace!%3Dshop';
  const client = fakeClient({
    '/api/v1/namespaces': list('Namespace', ...homes),
    '/api/v1/configmaps': list('ConfigMap', config),
    [`/api/v1/pods${elsewhere}`]: list('Pod', ...items),
    [`/api/v1/persistentvolumeclaims${elsewhere}`]: list('PersistentVolumeClaim'),
    '/api/v1/pods': list('Pod', ...whole),
    [`${root}/pods`]: list('Pod'),
    ...Object.fromEntries([...lists, ...apart, ...claims]),
  });
  const cluster = { client, types: all, serverVersion: 'v1.36.3', place: nowhere };
  const targets = [namespace('shop', { uid: 'uid-shop' })];
  const near = await readNear(cluster, targets);
  const { snapshot, reached } = await readForPlan(cluster, targets, near);
  const phases = snapshot.records.flatMap(({ type, facts }) =>
    type.kind === 'Pod' ? facts?.phase : [],
  );
  return {
    phases,
    reached: reached.length,
    lists: client.paths
      .map((path) => path.replace(/\?.*/, ''))
      .filter((path) => path.endsWith('/pods')),
  };
}

test('a namespace is read with its facts, and all others without', async () => {
  expect(await listedWith([], 'Running')).toEqual({
    phases: [],
    reached: 2,
    lists: ['/api/v1/pods', `${root}/pods`],
  });
});

test('facts are read of the other namespaces that the deletion reaches', async () => {
  expect(await listedWith(['one', 'two'], 'Running')).toEqual({
    phases: ['Running', 'Running'],
    reached: 4,
    lists: [
      '/api/v1/pods',
      `${root}/pods`,
      '/api/v1/namespaces/one/pods',
      '/api/v1/namespaces/two/pods',
    ],
  });
});

test('facts are read everywhere where it reaches many namespaces', async () => {
  const many = Array.from({ length: 9 }, (_, at) => `n${at}`);
  const { lists } = await listedWith(many, 'Running');
  expect(lists).toEqual(['/api/v1/pods', `${root}/pods`, '/api/v1/pods']);
});
