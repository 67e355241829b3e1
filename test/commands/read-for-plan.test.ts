import { expect, test } from 'vitest';
import { nowhere } from '../../src/command-line/shell-command.ts';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { readNear } from '../../src/shell/plan/plan-on-cluster.ts';
import { readForPlan } from '../../src/shell/plan/read-for-plan.ts';
import { type Answer, fakeClient, refusal } from '../cluster/fake-client.ts';
import { namespace } from '../deletion/plan/told.ts';
import { builderOf, configMap } from '../support/builders.ts';
import { kube } from '../support/kube.ts';

const root = '/api/v1/namespaces/shop';
const kinds = ['ConfigMap', 'PersistentVolumeClaim', 'PersistentVolume', 'Pod', 'Node'];
const typesOf = (...names: readonly string[]) => {
  const core = builtInTypes.filter(({ group, kind }) => group === '' && names.includes(kind));
  return new ResourceTypes(core, { exhaustive: true, failed: [] });
};

const json = (body: object): Answer => ({ headers: { 'content-type': 'application/json' }, body });
const list = (kind: string, ...items: object[]) =>
  json({ apiVersion: 'v1', kind: `${kind}List`, metadata: { resourceVersion: '9' }, items });
/** Lists by the names of their kinds, in the namespace shop or everywhere. */
const lists = (below: string, all: Readonly<Record<string, readonly object[]>>) =>
  Object.fromEntries(
    Object.entries(all).map(([kind, items]) => [
      `${below}/${kind.toLowerCase()}s`,
      list(kind, ...items),
    ]),
  );

const claim = (name: string, volumeName?: string, metadata: object = {}) =>
  kube(`v1 PersistentVolumeClaim ${name}`, metadata, { spec: { volumeName } });
const volume = (name: string, claimName: string, policy = 'Delete', metadata: object = {}) =>
  kube(`v1 PersistentVolume ${name}`, metadata, {
    spec: {
      persistentVolumeReclaimPolicy: policy,
      claimRef: { namespace: 'shop', name: claimName },
    },
  });
const owned = {
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'uid-a' }],
};
const deletion = [configMap('a', { namespace: 'shop', uid: 'uid-a' })];

/** What is read of this server for a deletion. */
async function readFrom(
  answers: Readonly<Record<string, Answer>>,
  targets: readonly ObjectRecord[] = deletion,
  types = typesOf(...kinds),
) {
  const client = fakeClient(answers);
  const cluster = { client, types, serverVersion: 'v1.36.3', place: nowhere };
  const near = await readNear(cluster, targets);
  const read = await readForPlan(cluster, targets, near?.snapshot, {});
  return { ...read, paths: client.paths.map((path) => path.replace(/\?.*/, '')) };
}

/** The same in a namespace with these claims, and volumes in the cluster. */
async function readVolumes(claims: object[], volumes: object[], metadata: object = {}) {
  const a = kube('v1 ConfigMap a', metadata);
  const far = kube('v1 ConfigMap far', { namespace: 'archive' });
  const near = { ConfigMap: [a], Pod: [], PersistentVolumeClaim: claims };
  const everywhere = { ...near, ConfigMap: [a, far], Node: [], PersistentVolume: volumes };
  const owner = { '/api/v1/persistentvolumes/owner': json(volumes[0] ?? {}) };
  const answers = { ...lists(root, near), ...lists('/api/v1', everywhere), ...owner };
  const { snapshot, reached, paths } = await readFrom(answers);
  const read = snapshot.records.filter(({ type }) => type.kind === 'PersistentVolume');
  return {
    paths,
    reached: reached.map(({ name }) => name).sort(),
    volumes: read.map(({ name, facts }) => `${name} ${facts?.persistentVolumeReclaimPolicy}`),
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
  expect(volumes).toEqual(['bound Retain', 'reserved Retain']);
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
  const claims = [claim('data', 'owner', owned)];
  const metadata = { ownerReferences: [reference] };
  const { paths, volumes } = await readVolumes(claims, [volume('owner', 'data')], metadata);
  expect(paths).toContain('/api/v1/persistentvolumes/owner');
  expect(volumes).toEqual(['owner Delete']);
});

test.each([
  ['is reclaimed', 'Delete', {}, 1],
  ['is being deleted', 'Retain', { deletionTimestamp: '2026-01-01T00:00:00Z' }, 1],
  ['is retained', 'Retain', {}, 0],
])('where a volume %s', async (_, policy, metadata, times) => {
  const bound = volume('bound', 'data', policy, metadata);
  const { paths, volumes } = await readVolumes([claim('data', 'bound', owned)], [bound]);
  expect(volumes).toEqual([`bound ${policy}`]);
  expect(paths.filter((path) => path === '/api/v1/configmaps')).toHaveLength(times);
});

/** What is read for a deletion with these pods in its namespace, each on a Node of its own. */
async function readNodes(
  nodes: Readonly<Record<string, Answer>>,
  pods = ['a', 'b'],
  metadata: object = owned,
) {
  const items = pods.map((name) =>
    kube(`v1 Pod pod-${name}`, metadata, { spec: { nodeName: name } }),
  );
  const near = { ConfigMap: [kube('v1 ConfigMap a')], PersistentVolumeClaim: [], Pod: items };
  const found = Object.entries(nodes).map(([name, answer]) => [`/api/v1/nodes/${name}`, answer]);
  const answers = { ...lists(root, near), ...Object.fromEntries(found) };
  const { snapshot, paths } = await readFrom(answers);
  const { records, coverage } = snapshot;
  return {
    read: {
      nodes: records.flatMap(({ type, name }) => (type.kind === 'Node' ? name : [])),
      asked: coverage.asked.map(({ name }) => name),
      problems: coverage.problems,
    },
    asked: paths.filter((path) => path.includes('/nodes/')),
  };
}

const nodeThat = (name: string, status: string) =>
  json(
    kube(
      `v1 Node ${name}`,
      { uid: `uid-node-${name}` },
      { status: { conditions: [{ type: 'Ready', status }] } },
    ),
  );
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
  const refused = refusal(403, 'no');
  const answers = Object.fromEntries(pods.map((name) => [name, refused]));
  const { read, asked } = await readNodes(answers, pods);
  expect([read, asked.length]).toEqual([unseen, 8]);
});

/** What is listed for the deletion of a namespace where a ConfigMap owns a pod in each of these others. */
async function listedWith(others: readonly string[], phase: string) {
  const items = others.map((namespace) =>
    kube('v1 Pod pod', { namespace, uid: `uid-pod-${namespace}`, ...owned }),
  );
  const whole = items.map((pod) => ({ ...pod, spec: { nodeName: 'n' }, status: { phase } }));
  const homes = ['shop', ...others];
  const apart = homes.flatMap((namespace) => {
    const Pod = whole.filter(({ metadata }) => metadata.namespace === namespace);
    return Object.entries(
      lists(`/api/v1/namespaces/${namespace}`, { Pod, PersistentVolumeClaim: [] }),
    );
  });
  const elsewhere = '?fieldSelector=metadata.namespace!%3Dshop';
  const { snapshot, reached, paths } = await readFrom(
    {
      ...lists('/api/v1', {
        Namespace: homes.map((name) => kube(`v1 Namespace ${name}`)),
        ConfigMap: [kube('v1 ConfigMap a')],
        ...{ PersistentVolume: [], PersistentVolumeClaim: [], Node: [], Pod: whole },
      }),
      [`/api/v1/pods${elsewhere}`]: list('Pod', ...items),
      [`/api/v1/persistentvolumeclaims${elsewhere}`]: list('PersistentVolumeClaim'),
      ...Object.fromEntries(apart),
    },
    [namespace('shop', { uid: 'uid-shop' })],
    typesOf(...kinds, 'Namespace'),
  );
  const pods = snapshot.records.filter(({ type }) => type.kind === 'Pod');
  return {
    phases: pods.map(({ facts }) => facts?.phase),
    reached: reached.length,
    lists: paths.filter((path) => path.endsWith('/pods')),
  };
}

const many = Array.from({ length: 9 }, (_, at) => `n${at}`);
test.each([
  ['of a namespace, and of no others', [], []],
  [
    'of reached namespaces',
    ['one', 'two'],
    ['/api/v1/namespaces/one/pods', '/api/v1/namespaces/two/pods'],
  ],
  ['everywhere for many namespaces', many, ['/api/v1/pods']],
])('facts are read %s', async (_, others, also) => {
  expect(await listedWith(others, 'Running')).toEqual({
    phases: others.map(() => 'Running'),
    reached: 2 + others.length,
    lists: ['/api/v1/pods', `${root}/pods`, ...also],
  });
});

/** What is read for a deletion of the owner of a Pod with these finalizers; `refused`: Pods of other namespaces may not be listed. */
async function readEnded(finalizers: readonly string[], refused?: Answer) {
  const held = kube('v1 Pod held', { ...owned, finalizers }, { status: { phase: 'Running' } });
  const ended = kube('v1 Pod old', { namespace: 'jobs' }, { status: { phase: 'Succeeded' } });
  const near = { ConfigMap: [kube('v1 ConfigMap a')], PersistentVolumeClaim: [], Pod: [held] };
  const far = { ...near, Pod: [held, ended], Node: [], PersistentVolume: [] };
  const everywhere = lists('/api/v1', far);
  const ofEnded = '/api/v1/pods?fieldSelector=status.phase!%3DPending%2Cstatus.phase!%3DRunning';
  const answers = {
    ...lists(root, near),
    ...everywhere,
    [`${ofEnded}%2Cstatus.phase!%3DUnknown`]: refused ?? list('Pod', ended),
  };
  const { snapshot, reached, paths, endedPodsUnread } = await readFrom(answers);
  return {
    ended: snapshot.records.flatMap(({ namespace, name }) => (namespace === 'jobs' ? name : [])),
    reached: reached.map(({ name }) => name).sort(),
    asked: paths.includes('/api/v1/pods'),
    endedPodsUnread,
  };
}

test('reads the ended Pods of other namespaces where a Pod may end and stay', async () => {
  const { ended, reached, endedPodsUnread } = await readEnded(['acme.io/report']);
  expect(ended).toEqual(['old']);
  expect(reached).toEqual(['a', 'held', 'old']);
  expect(endedPodsUnread).toBe(undefined);
});

test('reads no other ended Pods where no Pod may end and stay', async () => {
  expect((await readEnded([])).asked).toBe(false);
});

test('says where ended Pods of other namespaces could not be read', async () => {
  const { ended, endedPodsUnread } = await readEnded(['acme.io/report'], refusal(403, 'no'));
  expect([ended, endedPodsUnread]).toEqual([[], true]);
});

test('for a class its claims are read with what they name, and for others no more', async () => {
  const classTypes = new ResourceTypes(
    builtInTypes.filter(({ kind }) => ['PersistentVolumeClaim', 'StorageClass'].includes(kind)),
    { exhaustive: true, failed: [] },
  );
  const target = builderOf('storage.k8s.io/v1', 'StorageClass')('fast', { namespace: '' });
  const { uid } = target;
  const fast = kube('storage.k8s.io/v1 StorageClass fast', { namespace: undefined, uid });
  const data = kube('v1 PersistentVolumeClaim data', {}, { spec: { storageClassName: 'fast' } });
  const answers = {
    '/apis/storage.k8s.io/v1/storageclasses': json({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClassList',
      metadata: { resourceVersion: '9' },
      items: [fast],
    }),
    '/api/v1/persistentvolumeclaims': list('PersistentVolumeClaim', data),
  };
  const { snapshot, paths } = await readFrom(answers, [target], classTypes);
  expect(snapshot.records.map(({ facts }) => facts?.storageClassName)).toContain('fast');
  expect(paths.filter((path) => path.endsWith('/persistentvolumeclaims'))).toHaveLength(2);
});
