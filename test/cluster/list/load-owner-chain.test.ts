import { describe, expect, test } from 'vitest';
import {
  fromClusterObjects,
  loadOwnershipManagers,
} from '../../../src/cluster/list/get-objects.ts';
import { loadOwnerChain } from '../../../src/cluster/list/look-up-owners.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { pod } from '../../support/builders.ts';
import { builtIn } from '../built-in.ts';
import { encodeObject, type Metadata } from '../encode-list.ts';
import { type Answer, fakeClient, patience, protobuf, refusal } from '../fake-client.ts';

const failed = [{ group: 'broken.example.com', version: 'v1', message: 'not answering' }];
const discovery = {
  types: new ResourceTypes(builtInTypes, { exhaustive: true, failed }),
  serverVersion: 'v1.36.3',
};
const pods = builtIn('pods');
const nodes = builtIn('nodes');

function object(name: string, ...owners: string[]): Answer {
  const ownerReferences = owners.map((owner) => {
    const [apiVersion = '', kind = '', ownerName = ''] = owner.split(' ');
    return { apiVersion, kind, name: ownerName, uid: `uid-${ownerName}` };
  });
  const metadata: Metadata = { name, namespace: 'shop', uid: `uid-${name}`, ownerReferences };
  return protobuf(encodeObject(metadata));
}

const shop = '/api/v1/namespaces/shop';
const apps = '/apis/apps/v1/namespaces/shop';

/** What is found from an object of shop on: names, paths that were asked for, and the coverage. */
async function chainOf(
  answers: Readonly<Record<string, Answer | readonly Answer[]>>,
  ...starts: readonly { readonly resource: string; readonly name: string }[]
) {
  const client = fakeClient(answers);
  const wanted = starts.map(({ resource, name }) => {
    const type = builtIn(resource);
    return { type, namespace: type.namespaced ? 'shop' : '', name };
  });
  const retry = patience();
  const { records, coverage } = await loadOwnerChain(client, discovery, wanted, { retry });
  const found = records.map(({ type, name }) => `${type.kind}.${type.version} ${name}`);
  return { found, records, coverage, client };
}

describe('loadOwnerChain', () => {
  test('asks for the object and each owner up to the roots, and for nothing else', async () => {
    const { found, coverage, client } = await chainOf(
      {
        [`${shop}/pods/web-1`]: object('web-1', 'apps/v1 ReplicaSet web-x', 'v1 Node n1'),
        [`${apps}/replicasets/web-x`]: object('web-x', 'apps/v1 Deployment web'),
        [`${apps}/deployments/web`]: object('web'),
        '/api/v1/nodes/n1': refusal(404, 'nodes "n1" not found'),
      },
      { resource: 'pods', name: 'web-1' },
    );
    expect(found).toEqual(['Pod.v1 web-1', 'ReplicaSet.v1 web-x', 'Deployment.v1 web']);
    expect(coverage).toEqual({
      read: [],
      asked: [
        { resource: 'pods', namespace: 'shop', name: 'web-1' },
        { resource: 'replicasets.apps', namespace: 'shop', name: 'web-x' },
        { resource: 'nodes', namespace: '', name: 'n1' },
        { resource: 'deployments.apps', namespace: 'shop', name: 'web' },
      ],
      problems: [],
    });
    expect(client.paths).toHaveLength(4);
    expect(client.requests[0]?.headers?.accept).toBe(
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,' +
        'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    );
  });

  test('ends where a cycle closes, and asks for a shared owner once', async () => {
    const { found, client } = await chainOf(
      {
        [`${shop}/configmaps/a`]: object('a', 'v1 ConfigMap b', 'v1 ConfigMap c', 'v1 ConfigMap a'),
        [`${shop}/configmaps/b`]: object('b', 'v1 ConfigMap d'),
        [`${shop}/configmaps/c`]: object('c', 'v1 ConfigMap d'),
        [`${shop}/configmaps/d`]: object('d', 'v1 ConfigMap a'),
      },
      { resource: 'configmaps', name: 'a' },
    );
    expect(found).toEqual(['a', 'b', 'c', 'd'].map((name) => `ConfigMap.v1 ${name}`));
    expect(client.paths).toHaveLength(4);
  });

  test('asks for one object once, whichever versions name it', async () => {
    const scalers = ['v2', 'v1'].map((of) => `autoscaling/${of} HorizontalPodAutoscaler h`);
    const { found } = await chainOf(
      {
        [`${shop}/pods/p`]: object('p', ...scalers),
        '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/h': object('h'),
      },
      { resource: 'pods', name: 'p' },
    );
    expect(found).toEqual(['Pod.v1 p', 'HorizontalPodAutoscaler.v2 h']);
  });

  test('sends no request that cannot be answered: unserved, list kinds, namespaced owner of a cluster object', async () => {
    const unserved = ['gone.example.com/v1 Gone g', 'apps/v1beta9 Deployment d', 'a/b/c Thing t'];
    const { client } = await chainOf(
      {
        [`${shop}/pods/p`]: object(
          'p',
          ...unserved,
          'v1 PodList l',
          'broken.example.com/v1 Broken b',
        ),
        '/api/v1/nodes/n1': object('n1', 'v1 Pod p', 'v1 Node n2'),
        '/api/v1/nodes/n2': object('n2'),
      },
      { resource: 'pods', name: 'p' },
      { resource: 'nodes', name: 'n1' },
    );
    expect(client.paths).toEqual([`${shop}/pods/p`, '/api/v1/nodes/n1', '/api/v1/nodes/n2']);
  });

  test('does not know of an owner that it may not see', async () => {
    const { coverage } = await chainOf(
      {
        [`${shop}/pods/p`]: object('p', 'v1 Node n1', 'v1 Secret s'),
        '/api/v1/nodes/n1': refusal(403, 'nodes "n1" is forbidden'),
        [`${shop}/secrets/s`]: refusal(503, 'down'),
      },
      { resource: 'pods', name: 'p' },
    );
    expect(coverage.asked).toEqual([{ resource: 'pods', namespace: 'shop', name: 'p' }]);
    expect(coverage.problems.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'forbidden: cannot get nodes/n1: nodes "n1" is forbidden',
      'unavailable: cannot get secrets/s in shop: down',
    ]);
  });

  test('reads JSON where there is no protobuf, and asks again when the connection drops', async () => {
    const metadata = { name: 'p', namespace: 'shop', uid: 'u', managedFields: [] };
    const body = { kind: 'Pod', metadata };
    const { records, client } = await chainOf(
      { [`${shop}/pods/p`]: [{ body, dropAfter: 5 }, { body }] },
      { resource: 'pods', name: 'p' },
    );
    expect(records).toMatchObject([{ uid: 'u', writers: undefined }]);
    expect(client.paths).toHaveLength(2);
  });
});

describe('fromClusterObjects', () => {
  test('a page of a proxy with status 404 does not say that the object is absent', async () => {
    const client = fakeClient({ [`${shop}/pods/web-1`]: { status: 404, body: '<html>' } });
    const wanted = { type: pods, namespace: 'shop', name: 'web-1' };
    const { coverage } = await fromClusterObjects(client, discovery, [wanted]);
    expect([coverage.asked, coverage.problems]).toEqual([
      [],
      [
        {
          reason: 'unavailable',
          name: 'web-1',
          verb: 'get',
          status: 404,
          message: 'cannot get pods/web-1 in shop: the server answered with HTTP status 404',
          resource: 'pods',
          apiVersion: 'v1',
          namespace: 'shop',
        },
      ],
    ]);
  });

  test('knows of the objects it asked for, there or not, and of no others', async () => {
    const client = fakeClient({
      '/api/v1/nodes/n1': {
        ...object('n1'),
        headers: {
          date: 'Sat, 21 Nov 2026 08:00:01 GMT',
          'content-type': 'application/vnd.kubernetes.protobuf',
        },
      },
    });
    const wanted = ['n1', 'n2'].map((name) => ({ type: nodes, namespace: '', name }));
    const { types, records, ...rest } = await fromClusterObjects(client, discovery, wanted);
    expect(types).toBe(discovery.types);
    expect(records.map(({ name }) => name)).toEqual(['n1']);
    expect(rest).toEqual({
      coverage: {
        read: [],
        asked: [
          { resource: 'nodes', namespace: '', name: 'n1' },
          { resource: 'nodes', namespace: '', name: 'n2' },
        ],
        problems: [],
      },
      observedAt: '2026-11-21T08:00:01Z',
      serverVersion: 'v1.36.3',
      origin: { kind: 'cluster', server: 'https://api.example.com:6443' },
    });
  });
});

test('field managers of references are read for unchanged objects', async () => {
  const entry = {
    manager: 'kubectl-edit',
    operation: 'Update',
    time: '2026-01-01T00:00:00Z',
    fieldsV1: { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"uid-web"}': {} } } },
  };
  const managedFields = [entry, { manager: 'kubelet', fieldsV1: { 'f:status': {} } }];
  const full = (name: string, uid: string): Answer => ({
    body: { kind: 'PartialObjectMetadata', metadata: { name, uid, managedFields } },
  });
  const client = fakeClient({
    [`${shop}/pods/same`]: full('same', 'uid-same'),
    [`${shop}/pods/again`]: full('again', 'another-uid'),
    [`${shop}/pods/gone`]: refusal(404, 'gone'),
  });
  const records = ['same', 'again', 'gone'].map((name) => pod(name, { uid: `uid-${name}` }));
  expect(await loadOwnershipManagers(client, records)).toEqual({ 'uid-same': [entry] });
  expect(client.requests[0]?.headers?.accept).toBe(
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  );
});
