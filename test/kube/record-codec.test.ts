import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keptAnnotations } from '../../src/kube/facts/kept-annotations.ts';
import { noFinalizers, noReferences } from '../../src/kube/object-record.ts';
import { objectOf, recordOf } from '../../src/kube/record-codec.ts';
import { anyRecord } from '../support/any-snapshot.ts';
import {
  autoscaler,
  builderOf,
  configMap,
  node,
  ownedBy,
  pod,
  replicaSet,
  secret,
} from '../support/builders.ts';

const namespace = builderOf('v1', 'Namespace');
const claim = builderOf('v1', 'PersistentVolumeClaim');

test('everything that ownership needs is kept, and nothing else', () => {
  const { type } = pod('web-1');
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-1',
      namespace: 'shop',
      uid: 'uid-1',
      resourceVersion: '42',
      generation: 3,
      creationTimestamp: '2026-01-01T00:00:00Z',
      deletionTimestamp: '2026-01-01T01:00:00Z',
      deletionGracePeriodSeconds: 30,
      labels: { app: 'web' },
      annotations: { note: 'private', 'meta.helm.sh/release-name': 'web' },
      finalizers: ['shop.example.com/drain'],
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'uid-0', controller: true },
      ],
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          time: '2026-01-01T00:00:01Z',
          fieldsV1: { 'f:metadata': { 'f:ownerReferences': { '.': {}, 'k:{"uid":"uid-0"}': {} } } },
        },
        { manager: 'kubelet', operation: 'Update', fieldsV1: { 'f:status': {} } },
      ],
    },
    spec: { nodeName: 'node-a', terminationGracePeriodSeconds: 10, containers: [{ name: 'c' }] },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  };
  const place = { path: 'shop.yaml', line: 7 };
  expect(recordOf(object, type, place)).toEqual({
    type,
    namespace: 'shop',
    name: 'web-1',
    uid: 'uid-1',
    resourceVersion: '42',
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionTimestamp: '2026-01-01T01:00:00Z',
    deletionGracePeriodSeconds: 30,
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web',
        uid: 'uid-0',
        controller: true,
        blockOwnerDeletion: undefined,
      },
    ],
    finalizers: ['shop.example.com/drain'],
    labels: { app: 'web' },
    annotations: { 'meta.helm.sh/release-name': 'web' },
    writers: [
      {
        uid: 'uid-0',
        manager: 'kube-controller-manager',
        operation: 'Update',
        time: '2026-01-01T00:00:01Z',
      },
    ],
    facts: {
      nodeName: 'node-a',
      terminationGracePeriodSeconds: 10,
      containers: [{ name: 'c' }],
      phase: 'Running',
    },
    place,
  });
});

test.each([secret('password'), configMap('settings')])(
  'no data of a $type.kind stays behind',
  ({ type }) => {
    const object = {
      metadata: {
        name: 'kept',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":"hush"}' },
      },
      data: { key: 'hush' },
      stringData: { key: 'hush' },
      binaryData: { key: 'hush' },
    };
    const record = recordOf(object, type);
    expect(JSON.stringify([record, objectOf(record)])).not.toContain('hush');
  },
);

test('only marks of managers survive among annotations', () => {
  const annotations = Object.fromEntries([...keptAnnotations].map((key) => [key, 'x']));
  const record = recordOf(
    { metadata: { annotations: { ...annotations, other: 'x' } } },
    pod('p').type,
  );
  expect(record.annotations).toEqual(annotations);
});

describe('what a manifest gets wrong counts as unset', () => {
  test.each([
    ['no metadata at all', {}],
    ['metadata that is a list', { metadata: [] }],
    [
      'fields of other types',
      {
        metadata: {
          name: 7,
          namespace: {},
          uid: null,
          labels: ['app'],
          annotations: 'none',
          finalizers: 'none',
          ownerReferences: {},
          deletionGracePeriodSeconds: '30',
          managedFields: {},
        },
        spec: 'none',
        status: [],
      },
    ],
    ['lists of other things', { metadata: { finalizers: [1], ownerReferences: ['web', null] } }],
  ])('%s', (_, object) => {
    const { type } = pod('p');
    expect(recordOf(object, type)).toEqual({
      type,
      namespace: '',
      name: '',
      uid: '',
      resourceVersion: undefined,
      creationTimestamp: undefined,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      ownerReferences: [],
      finalizers: [],
      labels: undefined,
      annotations: undefined,
      writers: undefined,
      facts: undefined,
      place: undefined,
    });
  });

  test('fields of a reference', () => {
    const ownerReferences = [{ apiVersion: 1, uid: 'uid-0', controller: 'true' }];
    expect(recordOf({ metadata: { ownerReferences } }, pod('p').type).ownerReferences).toEqual([
      {
        apiVersion: '',
        kind: '',
        name: '',
        uid: 'uid-0',
        controller: undefined,
        blockOwnerDeletion: undefined,
      },
    ]);
  });
});

test('a cluster-scoped object has no namespace, whatever its manifest says', () => {
  const object = { metadata: { name: 'node-a', namespace: 'shop' } };
  expect(recordOf(object, node('node-a').type).namespace).toBe('');
});

test('objects without references or finalizers share two empty lists', () => {
  const record = recordOf({ metadata: { ownerReferences: [] } }, pod('p').type);
  expect([record.ownerReferences === noReferences, record.finalizers === noFinalizers]).toEqual([
    true,
    true,
  ]);
});

describe('facts are kept of whole objects only', () => {
  test.each([
    ['a pod that is bound nowhere', pod('p').type, { spec: {} }, { nodeName: '' }],
    ['a pod read as metadata', pod('p').type, {}, undefined],
    [
      'a namespace',
      namespace('shop').type,
      { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } },
      { specFinalizers: ['kubernetes'], phase: 'Active' },
    ],
    ['a finalized namespace', namespace('shop').type, { spec: {} }, { specFinalizers: [] }],
    ['a claim', claim('data').type, { spec: {}, status: { phase: 'Bound' } }, { phase: 'Bound' }],
    ['a claim of which nothing is set', claim('data').type, { spec: {} }, {}],
    ['a claim read as metadata', claim('data').type, {}, undefined],
    ['a node without taints', node('a').type, { spec: {} }, { taints: [] }],
    [
      'a node',
      node('a').type,
      {
        spec: {
          taints: [
            { key: 'a', value: 'b', effect: 'NoSchedule' },
            { key: 'c', value: '', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
          ],
        },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      },
      {
        taints: [
          { key: 'a', value: 'b', effect: 'NoSchedule' },
          { key: 'c', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
        ],
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    ],
    ['a node read as metadata', node('a').type, {}, undefined],
    ['a kind without any', autoscaler('web').type, { spec: { maxReplicas: 1 } }, undefined],
  ])('%s', (_, type, object, facts) => {
    expect(recordOf({ metadata: {}, ...object }, type).facts).toEqual(facts);
  });
});

describe('a record is written as a Kubernetes object', () => {
  const web = replicaSet('web');

  test('with what is set only', () => {
    const record = pod('web-1', {
      ownerReferences: [ownedBy(web, { controller: true })],
      finalizers: ['shop.example.com/drain'],
      facts: { nodeName: 'node-a', phase: 'Running' },
    });
    expect(objectOf(record)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web-1',
        namespace: 'shop',
        uid: 'uid-pod-shop-web-1',
        creationTimestamp: '2026-01-01T00:00:00Z',
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'ReplicaSet',
            name: 'web',
            uid: 'uid-replicaset-shop-web',
            controller: true,
          },
        ],
        finalizers: ['shop.example.com/drain'],
      },
      spec: { nodeName: 'node-a' },
      status: { phase: 'Running' },
    });
  });

  test('and a bare one is almost empty', () => {
    const record = node('node-a', { uid: '', creationTimestamp: undefined });
    expect(objectOf(record)).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-a' },
    });
  });

  test.each([
    { nodeName: '' },
    { nodeName: '', phase: 'Pending' },
    { phase: 'Failed', nodeName: 'a' },
  ])('that keeps the facts %j', (facts) => {
    const record = pod('web-1', { facts });
    expect(recordOf(objectOf(record), record.type).facts).toEqual(facts);
  });

  test('and read again it is the same, except for place and writers', () => {
    fc.assert(
      fc.property(anyRecord(), (record) => {
        const json = JSON.parse(JSON.stringify(objectOf(record)));
        expect(recordOf(json, record.type)).toEqual(record);
      }),
    );
  });
});
