import { expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { nowhere } from '../../src/kube/shell-command.ts';
import { planOfRead } from '../../src/shell/plan/read-for-plan.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { type Answer, fakeClient } from '../cluster/fake-client.ts';
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

const claim = (name: string, volumeName?: string) => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}` },
  spec: { volumeName },
});
const volume = (name: string, claimName: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, uid: `uid-${name}` },
  spec: {
    persistentVolumeReclaimPolicy: 'Delete',
    claimRef: { namespace: 'shop', name: claimName },
  },
});

const planNaming = (...objects: object[]) => ({ plan: { objects } as unknown as Plan });

/** What is read for a deletion in a namespace with these claims, and volumes in the cluster. */
async function readVolumes(
  claims: object[],
  volumes: object[],
  owned: object = {},
  ...going: object[]
) {
  const [first] = volumes;
  const a = { metadata: { name: 'a', namespace: 'shop', uid: 'uid-a', ...owned } };
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
  const looks: Snapshot[] = [];
  await planOfRead(
    { client, types, serverVersion: 'v1.36.3', place: nowhere },
    [configMap('a', { namespace: 'shop', uid: 'uid-a' })],
    (snapshot) => {
      looks.push(snapshot);
      return planNaming(...going);
    },
  );
  const records = looks.at(-1)?.records ?? [];
  const read = records.filter(({ type }) => type.kind === 'PersistentVolume');
  return {
    looks,
    paths: client.paths,
    volumes: read.map(({ name, facts }) => [name, facts?.persistentVolumeReclaimPolicy]),
  };
}

test('reads the volumes that are bound to the claims, or made for one', async () => {
  const all = [volume('bound', 'data'), volume('reserved', 'wanted'), volume('other', 'elsewhere')];
  const { volumes } = await readVolumes([claim('data', 'bound'), claim('wanted')], all);
  expect(volumes).toEqual([
    ['bound', 'Delete'],
    ['reserved', 'Delete'],
  ]);
});

test('reads no volumes where there is no claim', async () => {
  const { paths } = await readVolumes([], [volume('bound', 'data')]);
  expect(paths.sort()).toEqual(
    ['configmaps', 'persistentvolumeclaims', 'pods'].map((resource) => `${root}/${resource}`),
  );
});

test('a volume that was read as an owner, too, is there once, with its reclaim policy', async () => {
  const reference = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'owner', uid: 'uid-owner' };
  const { paths, volumes } = await readVolumes(
    [claim('data', 'owner')],
    [volume('owner', 'data')],
    { ownerReferences: [reference] },
  );
  expect(paths).toContain('/api/v1/persistentvolumes/owner');
  expect(volumes).toEqual([['owner', 'Delete']]);
});

test.each(['deleted', 'terminating'])(
  'reads everything where a volume is planned as %s, as it may own objects everywhere',
  async (fate) => {
    const { looks } = await readVolumes(
      [claim('data', 'bound')],
      [volume('bound', 'data')],
      {},
      { namespace: '', kind: 'PersistentVolume', name: 'bound', fate },
    );
    expect(looks.map(({ records }) => records.map(({ name }) => name).sort())).toEqual([
      ['a', 'bound', 'data'],
      ['a', 'bound', 'data', 'far'],
    ]);
  },
);

test('reads no other namespace where the volume is kept', async () => {
  const { looks, paths } = await readVolumes(
    [claim('data', 'bound')],
    [volume('bound', 'data')],
    {},
    { namespace: '', kind: 'PersistentVolume', name: 'bound', fate: 'kept' },
  );
  expect(looks).toHaveLength(1);
  expect(paths).not.toContain('/api/v1/configmaps');
});

const ownedByTarget = {
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'uid-a' }],
};

/** What is read for a deletion with which these pods go, each on a Node of its own, and what is planned with. */
async function readNodes(
  answers: Readonly<Record<string, Answer>>,
  pods = ['a', 'b'],
  owned: object = ownedByTarget,
) {
  const items = pods.map((name) => ({
    metadata: { name: `pod-${name}`, namespace: 'shop', uid: `uid-pod-${name}`, ...owned },
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
  const looks: Snapshot[] = [];
  const going = pods.map((name) => ({
    namespace: 'shop',
    uid: `uid-pod-${name}`,
    fate: 'deleted',
  }));
  await planOfRead(
    { client, types, serverVersion: 'v1.36.3', place: nowhere },
    [configMap('a', { namespace: 'shop', uid: 'uid-a' })],
    (snapshot) => {
      looks.push(snapshot);
      return planNaming(...going);
    },
  );
  return {
    looks: looks.map(({ records, coverage }) => ({
      nodes: records.flatMap(({ type, name }) => (type.kind === 'Node' ? name : [])),
      asked: coverage.asked.map(({ name }) => name),
      problems: coverage.problems,
    })),
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
])('plans once, with the Nodes of owned pods, where one is %s', async (_, other, nodes) => {
  const { looks, asked } = await readNodes({ a: nodeThat('a', 'True'), ...other });
  expect(asked.sort()).toEqual(['/api/v1/nodes/a', '/api/v1/nodes/b']);
  expect(looks).toEqual([{ nodes, asked: ['a', 'b'], problems: [] }]);
});

test('plans again with the Nodes of pods that go without being owned by a target', async () => {
  const answers = { a: nodeThat('a', 'True'), b: nodeThat('b', 'True') };
  const { looks, asked } = await readNodes(answers, ['a', 'b'], {});
  expect(asked.sort()).toEqual(['/api/v1/nodes/a', '/api/v1/nodes/b']);
  expect(looks).toEqual([unseen, { nodes: ['a', 'b'], asked: ['a', 'b'], problems: [] }]);
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
  const { looks, asked } = await readNodes(answers, pods);
  expect([looks, asked.length]).toEqual([[unseen], 8]);
});
