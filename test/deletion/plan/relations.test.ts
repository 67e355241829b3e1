import { describe, expect, test } from 'vitest';
import { canDisappearWith, relationsAmong } from '../../../src/deletion/plan/relations.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  builderOf,
  configMap,
  node,
  ownedBy,
  pod,
  secret,
  widget,
} from '../../support/builders.ts';
import { namespace } from './told.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const volume = builderOf('v1', 'PersistentVolume');
const service = builderOf('v1', 'Service');
const endpoints = builderOf('v1', 'Endpoints');
const slice = builderOf('discovery.k8s.io/v1', 'EndpointSlice');
const account = builderOf('v1', 'ServiceAccount');

const named = (objects: readonly { readonly record: ObjectRecord }[]) =>
  objects.map(({ record }) => `${record.type.kind} ${record.namespace}/${record.name}`);
const wrapped = (records: readonly ObjectRecord[]) => records.map((record) => ({ record }));

describe('along references, and into namespaces and definitions', () => {
  test('the containers of an object are its namespace and the definition of its kind', () => {
    const [here, there] = [widget('here'), widget('there', { namespace: 'elsewhere' })];
    const objects = wrapped([here, there, namespace('shop'), definition('widgets.example.com')]);
    const { container } = relationsAmong(objects);
    expect(objects.map((object) => named(container(object)))).toEqual([
      ['Namespace /shop', 'CustomResourceDefinition /widgets.example.com'],
      ['CustomResourceDefinition /widgets.example.com'],
      [],
      [],
    ]);
  });

  test('an object that names itself as its owner is not above itself', () => {
    const self = configMap('self');
    const ring = wrapped([configMap('self', { ownerReferences: [ownedBy(self)] })]);
    const [only] = ring;
    expect(only && named(relationsAmong(ring).above(only))).toEqual([]);
  });

  test('objects without a uid are owners of none', () => {
    const applied = configMap('applied', { uid: '' });
    const own = secret('own', { ownerReferences: [ownedBy(applied)] });
    const list = wrapped([applied, own]);
    expect(list.map((object) => named(relationsAmong(list).below(object)))).toEqual([[], []]);
  });
});

describe('what an object is deleted after without being owned by it', () => {
  const mirrored = {
    'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
    'kubernetes.io/service-name': 'web',
  };
  const handMade = { 'kubernetes.io/service-name': 'web' };
  const toAccount = { annotations: { 'kubernetes.io/service-account.name': 'robot' } };
  const bound = { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' } };
  const around = [
    claim('data'),
    claim('data', { namespace: 'elsewhere' }),
    service('web'),
    endpoints('web'),
    account('robot'),
    account('robot', { namespace: 'elsewhere' }),
    node('a'),
    builderOf('discovery.k8s.io/v1', 'EndpointSlice')('data'),
  ];

  test.each<[string, ObjectRecord, string[]]>([
    ['a volume', volume('pv', { facts: bound }), ['PersistentVolumeClaim shop/data']],
    ['a volume without facts', volume('pv'), []],
    ['Endpoints', endpoints('web'), ['Service shop/web']],
    [
      'a mirrored EndpointSlice',
      slice('web-x', { labels: mirrored }),
      ['Endpoints shop/web', 'Service shop/web'],
    ],
    ['an EndpointSlice that a person wrote', slice('web-x', { labels: handMade }), []],
    ['an EndpointSlice without labels', slice('web-x'), []],
    ['the Secret of a token', secret('robot-token', toAccount), ['ServiceAccount shop/robot']],
    ['a pod on a Node', pod('p', { facts: { nodeName: 'a' } }), ['Node /a']],
  ])('%s', (_, record, expected) => {
    const objects = wrapped([...around, record]);
    const object = objects.at(-1);
    expect(object && named(relationsAmong(objects).precededBy(object))).toEqual(expected);
  });
});

test('dependents, their consequences and waiting objects may be deleted with an object; a retained volume stays', () => {
  const owner = configMap('owner');
  const data = claim('data', { ownerReferences: [ownedBy(owner)] });
  const of = (name: string, persistentVolumeReclaimPolicy: string) =>
    volume(name, {
      facts: { persistentVolumeReclaimPolicy, claimRef: { namespace: 'shop', name: 'data' } },
    });
  const waiting = secret('waiting', { deleting: 'foreground' });
  const apart = claim('apart');
  const reached = [owner, data, of('freed', 'Delete'), of('kept', 'Retain'), waiting, apart];
  const names = (records: ObjectRecord[]) => records.map(({ name }) => name).sort();
  expect(names(canDisappearWith(reached, [owner]))).toEqual(['data', 'freed', 'owner', 'waiting']);
  expect(names(canDisappearWith(reached, [apart]))).toEqual(['apart', 'waiting']);
});
