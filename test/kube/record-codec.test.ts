import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { keptAnnotations } from '../../src/kube/facts/kept-annotations.ts';
import {
  bareRecord,
  noFinalizers,
  noReferences,
  type ObjectFacts,
  type ObjectRecord,
} from '../../src/kube/object-record.ts';
import { objectOf, recordOf } from '../../src/kube/record-codec.ts';
import { anyRecord } from '../support/any-snapshot.ts';
import { autoscaler, builderOf, node, pod } from '../support/builders.ts';
import { rowsOf } from '../support/rows.ts';

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
  const { generation, managedFields, annotations, ...kept } = object.metadata;
  const [reference] = kept.ownerReferences;
  const time = '2026-01-01T00:00:01Z';
  expect(recordOf(object, type, place)).toEqual({
    type,
    ...kept,
    ownerReferences: [{ ...reference, blockOwnerDeletion: undefined }],
    annotations: { 'meta.helm.sh/release-name': 'web' },
    writers: [{ uid: 'uid-0', manager: 'kube-controller-manager', operation: 'Update', time }],
    facts: {
      nodeName: 'node-a',
      terminationGracePeriodSeconds: 10,
      containers: [{ name: 'c' }],
      phase: 'Running',
    },
    place,
  });
});

test('a record keeps only annotations that name a manager', () => {
  const annotations = Object.fromEntries([...keptAnnotations].map((key) => [key, 'x']));
  const record = recordOf(
    { metadata: { annotations: { ...annotations, other: 'x' } } },
    pod('p').type,
  );
  expect(record.annotations).toEqual(annotations);
});

describe('what a manifest gets wrong counts as unset', () => {
  test.each(
    rowsOf(`
      no metadata at all      | {}
      metadata that is a list | {metadata: []}
      names of other types    | {metadata: {name: 7, namespace: {}, uid: null}, spec: none, status: []}
      maps of other types     | {metadata: {labels: [app], annotations: none, managedFields: {}}}
      lists of other types    | {metadata: {finalizers: none, ownerReferences: {}, deletionGracePeriodSeconds: "30"}}
      lists of other things   | {metadata: {finalizers: [1], ownerReferences: [web, null]}}
    `),
  )('%s', (_, object = '') => {
    const { type } = pod('p');
    expect(recordOf(parse(object), type)).toEqual(bareRecord({ type, namespace: '', name: '' }));
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

const taints = [
  { key: 'a', value: 'b', effect: 'NoSchedule' },
  { key: 'c', value: '', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
];

test.each<[ObjectRecord, object, ObjectFacts | undefined]>([
  [pod('p'), { spec: {} }, { nodeName: '' }],
  [pod('p'), {}, undefined],
  [namespace('shop'), { spec: {} }, { specFinalizers: [] }],
  [claim('data'), { spec: {} }, {}],
  [claim('data'), {}, undefined],
  [node('a'), { spec: {} }, { taints: [] }],
  [
    node('a'),
    { spec: { taints } },
    { taints: taints.map(({ value, ...it }) => ({ ...(value && { value }), ...it })) },
  ],
  [node('a'), {}, undefined],
  [autoscaler('web'), { spec: { maxReplicas: 1 } }, undefined],
])('metadata has no facts: %#', ({ type }, object, facts) => {
  expect(recordOf({ metadata: {}, ...object }, type).facts).toEqual(facts);
});

// How it is written stands in the tests of saved snapshots and of facts.
test('a record that is written as a Kubernetes object and read again is the same, except for place and writers', () => {
  fc.assert(
    fc.property(anyRecord(), (record) => {
      const json = JSON.parse(JSON.stringify(objectOf(record)));
      expect(recordOf(json, record.type)).toEqual(record);
    }),
  );
});
