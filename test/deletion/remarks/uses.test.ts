import { expect, test } from 'vitest';
import { usesIn } from '../../../src/deletion/remarks/uses.ts';
import { Mentions } from '../../../src/delivery/mentions.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { recordOf } from '../../../src/kube/record-codec.ts';
import {
  builderOf,
  configMap,
  deployment,
  ownedBy,
  pod,
  replicaSet,
  type SnapshotOptions,
  secret,
  snapshotOf,
  widget,
} from '../../support/builders.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const statefulSet = builderOf('apps/v1', 'StatefulSet');
const ingress = builderOf('networking.k8s.io/v1', 'Ingress');
const event = builderOf('v1', 'Event');

type Searched = readonly [ObjectRecord, object];

/** `used: Deployment web`, where these objects were searched. */
function useOf(object: ObjectRecord, searched: readonly Searched[], options: SnapshotOptions = {}) {
  const mentions = new Mentions();
  for (const [record, rest] of searched) mentions.add({ ...rest }, record);
  const records = [object, ...searched.map(([record]) => record)];
  const use = usesIn(snapshotOf(records, options), mentions)(object);
  return use && [use.state, ...use.by.map(({ kind, name }) => `${kind} ${name}`)].join(': ');
}

const template = (spec: object) => ({ spec: { template: { spec } } });
const web = deployment('web');
const revision = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const runs = pod('web-1-a', { ownerReferences: [ownedBy(revision)] });
const inVolume = { volumes: [{ name: 'v', configMap: { name: 'settings' } }] };

test('of a workload and its pods, the workload is what uses an object', () => {
  const searched: Searched[] = [
    [runs, { spec: inVolume }],
    [revision, template(inVolume)],
    [web, template(inVolume)],
  ];
  expect(useOf(configMap('settings'), searched)).toBe('used: Deployment web');
});

test.each<[string, ObjectRecord, Searched]>([
  [
    'a claim in a volume',
    claim('data'),
    [runs, { spec: { volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] } }],
  ],
  [
    'a projected Secret',
    secret('s'),
    [runs, { spec: { volumes: [{ projected: { sources: [{ secret: { name: 's' } }] } }] } }],
  ],
  [
    'a key of a Secret',
    secret('s'),
    [runs, { spec: { containers: [{ env: [{ valueFrom: { secretKeyRef: { name: 's' } } }] }] } }],
  ],
  [
    'a ConfigMap of an init container',
    configMap('c'),
    [runs, { spec: { initContainers: [{ envFrom: [{ configMapRef: { name: 'c' } }] }] } }],
  ],
  ['a pull secret', secret('s'), [runs, { spec: { imagePullSecrets: [{ name: 's' }] } }]],
  [
    'a certificate of an Ingress',
    secret('s'),
    [ingress('i'), { spec: { tls: [{ secretName: 's' }] } }],
  ],
  [
    'a reference of a custom resource',
    secret('s'),
    [widget('w'), { spec: { passwordSecretRef: { name: 's' } } }],
  ],
  [
    'a reference that names its kind',
    configMap('c'),
    [widget('w'), { spec: { valuesFrom: [{ kind: 'ConfigMap', name: 'c' }] } }],
  ],
])('%s is in use', (_, object, searched) => {
  expect(useOf(object, [searched])).toMatch(/^used: /);
});

test.each<[string, Searched]>([
  ['an Event about it', [event('e'), { involvedObject: { kind: 'Secret', name: 's' } }]],
  ['a status', [widget('w'), { status: { secretRef: { name: 's' } } }]],
  ['another namespace', [widget('w', { namespace: 'bank' }), { spec: { secretName: 's' } }]],
  ['a name of another kind', [widget('w'), { spec: { configMapRef: { name: 's' } } }]],
])('%s is no use', (_, searched) => {
  expect(useOf(secret('s'), [searched])).toBe('none-found');
});

test('a reference that says that it is optional does without the object', () => {
  const reference = { configMapKeyRef: { name: 'c', key: 'k', optional: true } };
  const spec = { containers: [{ env: [{ valueFrom: reference }] }] };
  const mentions = new Mentions();
  mentions.add({ spec }, runs);
  const use = usesIn(snapshotOf([configMap('c'), runs]), mentions)(configMap('c'));
  expect([use?.state, use?.optional]).toEqual(['used', true]);
});

test('a revision that only a rollback needs is named', () => {
  const old: Searched = [revision, { spec: { replicas: 0, template: { spec: inVolume } } }];
  expect(useOf(configMap('settings'), [old])).toBe('used: ReplicaSet web-1');
});

test('a claim belongs to the StatefulSet that named it, also without a Pod', () => {
  const { type } = statefulSet('db');
  const metadata = { name: 'db', namespace: 'shop', uid: 'db' };
  const set = recordOf(
    { metadata, spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] } },
    type,
  );
  expect(useOf(claim('data-db-7'), [[set, {}]])).toBe('used: StatefulSet db');
  expect(useOf(claim('data-db-x'), [[pod('other'), { spec: {} }]])).toBe('none-found');
});

test('nothing is called unused where something was not searched', () => {
  expect(useOf(secret('s'), [], { unread: ['pods'] })).toBe('unknown');
  expect(useOf(secret('s'), [[deployment('bare'), {}]])).toBe('unknown');
  expect(useOf(pod('p'), [])).toBeUndefined();
});

test('the volumes and bound claims of a class are counted by what they are', () => {
  const storageClassName = 'ebs';
  const volumes = ['a', 'b'].map((name) =>
    builderOf('v1', 'PersistentVolume')(name, { namespace: '', facts: { storageClassName } }),
  );
  const bound = claim('data', { facts: { storageClassName, phase: 'Bound' } });
  const ebs = builderOf('storage.k8s.io/v1', 'StorageClass')('ebs', { namespace: '' });
  const records = [ebs, ...volumes, bound];
  expect(usesIn(snapshotOf(records), new Mentions())(ebs)?.because).toBe(
    'referenced by 2 volumes and 1 bound claim',
  );
});
