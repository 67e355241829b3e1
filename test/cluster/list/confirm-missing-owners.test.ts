import { describe, expect, test } from 'vitest';
import { fromCluster } from '../../../src/cluster/from-cluster.ts';
import { getObjects } from '../../../src/cluster/list/get-objects.ts';
import { lookUpOwners } from '../../../src/cluster/list/look-up-owners.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { builtIn } from '../built-in.ts';
import { encodeList, encodeObject, type Metadata } from '../encode-list.ts';
import {
  type Answer,
  clientThat,
  fakeClient,
  patience,
  protobuf,
  refusal,
} from '../fake-client.ts';

const discovery = {
  types: new ResourceTypes(builtInTypes, { exhaustive: true }),
  serverVersion: 'v1.36.3',
};
const scope = { types: ['pods', 'replicasets.apps', 'nodes'].map(builtIn) };
const shop = '/apis/apps/v1/namespaces/shop/replicasets';

function object(name: string, uid = `uid-${name}`, ...owners: string[]): Metadata {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: owner.startsWith('node') ? 'v1' : 'apps/v1',
    kind: owner.startsWith('node') ? 'Node' : 'ReplicaSet',
    name: owner,
    uid: `uid-${owner}`,
  }));
  return { name, namespace: 'shop', uid, ownerReferences };
}

function lists(
  pods: readonly Metadata[],
  replicaSets: readonly Metadata[],
): Record<string, Answer> {
  return {
    '/api/v1/pods?resourceVersion=0': protobuf(encodeList(pods)),
    '/apis/apps/v1/replicasets?resourceVersion=0': protobuf(encodeList(replicaSets)),
    '/api/v1/nodes?resourceVersion=0': protobuf(encodeList([])),
  };
}

async function read(answers: Record<string, Answer>) {
  const client = fakeClient(answers);
  const { records, coverage } = await fromCluster(client, scope, { discovery, retry: patience() });
  const asked = client.paths.slice(3);
  return { objects: records.map(({ name, uid }) => `${name} ${uid}`), asked, coverage };
}

describe('an owner that is missing in its list', () => {
  test('is read, and its owners are read too if it exists', async () => {
    const pods = [object('p1', 'p1', 'rs'), object('p2', 'p2', 'rs'), object('p3', 'p3', 'gone')];
    const { objects, asked } = await read({
      ...lists(pods, []),
      [`${shop}/rs`]: protobuf(encodeObject(object('rs', 'uid-rs', 'node-1'))),
      [`${shop}/gone`]: refusal(404, 'not found'),
      '/api/v1/nodes/node-1': protobuf(encodeObject(object('node-1'))),
    });
    expect(objects).toEqual(['node-1 uid-node-1', 'p1 p1', 'p2 p2', 'p3 p3', 'rs uid-rs']);
    expect(asked).toEqual([`${shop}/rs`, `${shop}/gone`, '/api/v1/nodes/node-1']);
  });

  const got = (uid: string) => ({ [`${shop}/rs`]: protobuf(encodeObject(object('rs', uid))) });
  const listed = '/apis/apps/v1/replicasets';
  test.each<[string, Metadata[], Record<string, Answer>, string, string[]]>([
    ['replaces its predecessor', [object('rs', 'old')], got('uid-rs'), 'uid-rs', []],
    ['stays missing, its name taken', [object('rs', 'new')], got('new'), 'new', []],
    [
      'is listed, without get',
      [],
      {
        [`${shop}/rs`]: refusal(403, 'replicasets "rs" is forbidden'),
        [listed]: protobuf(encodeList([object('rs')])),
      },
      'uid-rs',
      [listed],
    ],
  ])('%s', async (_, replicaSets, answers, uid, also) => {
    const lacking = lists([object('p', 'p', 'rs')], replicaSets);
    const { objects, asked } = await read({ ...lacking, ...answers });
    expect(objects).toEqual(['p p', `rs ${uid}`]);
    expect(asked).toEqual([`${shop}/rs`, ...also]);
  });

  test('is not asked for when its kind could not be read anyway', async () => {
    const forbidden = refusal(403, 'replicasets is forbidden');
    const { asked, coverage } = await read({
      ...lists([object('p', 'p', 'rs')], []),
      '/apis/apps/v1/replicasets?resourceVersion=0': forbidden,
      '/api/v1/namespaces?resourceVersion=0': refusal(403, 'no'),
      '/apis/apps/v1/namespaces/default/replicasets?resourceVersion=0': forbidden,
    });
    expect(asked.filter((path) => !path.endsWith('?resourceVersion=0'))).toEqual([]);
    expect(coverage.read).toEqual([{ resource: 'pods' }, { resource: 'nodes' }]);
  });

  test('is looked for in a new list when many others are missing, too', async () => {
    const pods = Array.from({ length: 201 }, (_, index) =>
      object(`p${index}`, `p${index}`, `rs${index}`),
    );
    const { objects, asked } = await read({
      ...lists(pods, []),
      '/apis/apps/v1/replicasets': protobuf(encodeList([object('rs7'), object('unrelated')])),
    });
    expect(objects.slice(201)).toEqual(['rs7 uid-rs7']);
    expect(asked).toEqual(['/apis/apps/v1/replicasets']);
  });

  test.each([
    [
      'asked for',
      { [`${shop}/rs`]: refusal(500, 'etcd is down') },
      {
        message: 'cannot get replicasets.apps/rs in shop: etcd is down',
        verb: 'get',
        namespace: 'shop',
        name: 'rs',
      },
    ],
    [
      'listed again',
      {
        [`${shop}/rs`]: refusal(403, 'replicasets "rs" is forbidden'),
        '/apis/apps/v1/replicasets': refusal(500, 'etcd is down'),
      },
      { message: 'cannot list replicasets.apps: etcd is down', verb: 'list' },
    ],
  ])('and its kind are unknown unless %s', async (_, answers, told) => {
    const { objects, coverage } = await read({
      ...lists([object('p', 'p', 'rs')], []),
      ...answers,
    });
    expect(objects).toEqual(['p p']);
    expect(coverage.read).toEqual([{ resource: 'pods' }, { resource: 'nodes' }]);
    const about = { apiVersion: 'apps/v1', resource: 'replicasets.apps' };
    expect(coverage.problems).toEqual([{ reason: 'unavailable', status: 500, ...about, ...told }]);
  });
});

describe('where the server fails to answer for single objects', () => {
  const pods = (count: number) =>
    Array.from({ length: count }, (_, index) => object(`p${index}`, `p${index}`, `rs${index}`));
  const readThrough = async (all: readonly Metadata[], answer: (name: string) => Answer) => {
    const listed = lists(all, []);
    const client = clientThat(({ path }) => listed[path] ?? answer(path.slice(shop.length + 1)));
    const options = { discovery, retry: patience() };
    const snapshot = await fromCluster(client, scope, options);
    const asked = client.paths.slice(3);
    const completed = await lookUpOwners(client, snapshot);
    return { snapshot, completed, asked, askedLater: client.paths.slice(3 + asked.length) };
  };

  test('it is asked for a few of a kind, and for none of them twice', async () => {
    const { snapshot, completed, asked, askedLater } = await readThrough(pods(150), () =>
      refusal(500, 'etcd is down'),
    );
    const names = new Set(asked);
    expect(names.size).toBeLessThan(20);
    expect([asked.length, askedLater]).toEqual([names.size * patience().tries, []]);
    expect(completed.coverage).toEqual(snapshot.coverage);
    const { read, problems } = snapshot.coverage;
    expect(read).toEqual([{ resource: 'pods' }, { resource: 'nodes' }]);
    expect(problems.filter(({ name }) => name === undefined)).toMatchObject([
      { verb: 'get', status: 500, resource: 'replicasets.apps' },
    ]);
    expect(problems).toHaveLength(names.size + 1);
  });

  test('what it answers for others of the kind is known all the same', async () => {
    const { snapshot, askedLater } = await readThrough(pods(4), (name) =>
      name === 'rs2' ? refusal(500, 'it is damaged') : refusal(404, 'not found'),
    );
    expect(snapshot.coverage.asked.map(({ name }) => name)).toEqual(['rs0', 'rs1', 'rs3']);
    expect(snapshot.coverage.problems).toMatchObject([{ verb: 'get', status: 500, name: 'rs2' }]);
    expect(askedLater).toEqual([]);
  });

  test('names that no path can hold do not count', async () => {
    const client = clientThat(() => refusal(404, 'not found'));
    const type = builtIn('replicasets.apps');
    const odd = Array.from({ length: 20 }, (_, index) => `a/${index}`);
    const wanted = [...odd, 'rs'].map((name) => ({ type, namespace: 'shop', name }));
    const answers = await getObjects(client, wanted, { retry: patience() });
    expect(client.paths).toEqual([`${shop}/rs`]);
    expect(answers.map(({ problem }) => problem?.reason)).toEqual([
      ...Array(20).fill('unreadable'),
      undefined,
    ]);
  });
});

describe('where only owners of newer objects are asked for again', () => {
  const list = (resourceVersion: string, ...items: Metadata[]) =>
    protobuf(encodeList(items, { resourceVersion }));
  const orphan = (name: string, resourceVersion?: string): Metadata => ({
    ...object(name, name, `of-${name}`),
    ...(resourceVersion && { resourceVersion }),
  });
  const askedFor = async (first: string, ...pods: Metadata[]) => {
    const client = fakeClient({
      '/api/v1/pods?resourceVersion=0': list('30', ...pods),
      '/apis/apps/v1/replicasets?resourceVersion=0': list(first),
      '/api/v1/nodes?resourceVersion=0': list('25'),
      [`${shop}/of-old`]: refusal(404, 'not found'),
      [`${shop}/of-new`]: refusal(404, 'not found'),
    });
    await fromCluster(client, scope, {
      discovery,
      retry: patience(),
      confirmOwnersOf: 'newer',
    });
    return client.paths.slice(3);
  };

  test('those are that were written after the first of the lists', async () => {
    const asked = await askedFor('20', orphan('old', '20'), orphan('new', '21'));
    expect(asked).toEqual([`${shop}/of-new`]);
  });

  test('all are without a version, or with one that is no number', async () => {
    const both = [`${shop}/of-new`, `${shop}/of-old`];
    expect(await askedFor('20', orphan('old'), orphan('new', 'x'))).toEqual(both);
    expect(await askedFor('', orphan('old', '1'), orphan('new', '2'))).toEqual(both);
    expect(await askedFor('x', orphan('old', '1'), orphan('new', '2'))).toEqual(both);
  });
});

test('no owner is requested if every owner was listed', async () => {
  const { asked } = await read(lists([object('p', 'p', 'rs')], [object('rs')]));
  expect(asked).toEqual([]);
});
