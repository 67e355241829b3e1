import { expect, test } from 'vitest';
import { serviceAccountTokenType } from '../../../src/kube/facts/secret.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { planAnswer } from '../../../src/output/answers/plan.ts';
import {
  blocking,
  builderOf,
  configMap,
  node,
  ownedBy,
  pod,
  secret,
} from '../../support/builders.ts';
import { ends, planned } from './planned.ts';
import { namespace } from './told.ts';

const cleanup = 'ex.com/cleanup';
const database = builderOf('example.com/v1', 'Widget');
const statefulSet = builderOf('apps/v1', 'StatefulSet');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const prod = database('prod', { finalizers: [cleanup] });
const set = statefulSet('prod', { ownerReferences: [ownedBy(prod, blocking)] });
const data = claim('data-prod-0', { ownerReferences: [ownedBy(set)] });

test('a plan goes on past the finalizer of an operator', () => {
  expect(ends([prod, set, data, secret('other')], prod)).toEqual([
    'Widget prod: terminating, then deleted (ex.com/cleanup of Widget prod)',
    'StatefulSet prod: kept, then deleted (ex.com/cleanup of Widget prod)',
    'PersistentVolumeClaim data-prod-0: kept, then deleted (ex.com/cleanup of Widget prod)',
  ]);
  const { then: end, ...reached } = planned([prod, set], prod).objects[1] ?? {};
  expect(end).toBe('deleted');
  expect(reached).toEqual({
    ...referenceTo(set),
    wave: 1,
    goesWith: 'uid-widget-shop-prod',
    fate: 'kept',
    waitsFor: [{ finalizer: cleanup, object: referenceTo(prod) }],
    because: 'nothing happens to it while the object that it would be deleted with is held',
    rule: 'GC-22.10',
    blockedBy: [],
  });
});

test('what is let go may be held by the next finalizer', () => {
  const inner = configMap('inner', {
    ownerReferences: [ownedBy(prod)],
    finalizers: ['ex.com/two'],
  });
  const last = secret('last', { ownerReferences: [ownedBy(inner)] });
  expect(ends([prod, inner, last], prod)).toEqual([
    'Widget prod: terminating, then deleted (ex.com/cleanup of Widget prod)',
    'ConfigMap inner: kept, then deleted (ex.com/two of ConfigMap inner, ex.com/cleanup of Widget prod)',
    'Secret last: kept, then deleted (ex.com/two of ConfigMap inner, ex.com/cleanup of Widget prod)',
  ]);
});

test('what controllers delete after an object that is held goes then', () => {
  const ownerReferences = [ownedBy(prod)];
  const account = builderOf('v1', 'ServiceAccount')('robot', { ownerReferences });
  const token = secret('robot-token', {
    annotations: {
      'kubernetes.io/service-account.name': 'robot',
      'kubernetes.io/service-account.uid': account.uid,
    },
    facts: { secretType: serviceAccountTokenType },
  });
  const facts = { volumeName: 'pv-1', phase: 'Bound' };
  const disk = claim('disk', { ownerReferences, facts });
  const volume = builderOf('v1', 'PersistentVolume')('pv-1', {
    facts: {
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'disk', uid: disk.uid },
      persistentVolumeReclaimPolicy: 'Delete',
      source: { hostPath: '/tmp/disk' },
      phase: 'Bound',
    },
  });
  const service = builderOf('v1', 'Service')('web', { ownerReferences });
  const endpoints = builderOf('v1', 'Endpoints')('web');
  const waits = 'kept, then deleted (ex.com/cleanup of Widget prod)';
  const records = [prod, account, token, disk, volume, service, endpoints];
  expect(ends(records, prod).slice(1).sort()).toEqual([
    `Endpoints web: ${waits}`,
    `PersistentVolume pv-1: ${waits}`,
    `PersistentVolumeClaim disk: ${waits}`,
    `Secret robot-token: ${waits}`,
    `Service web: ${waits}`,
    `ServiceAccount robot: ${waits}`,
  ]);
});

test('what is bound to a Node that is held goes then, whatever the order of the deletion', () => {
  const worker = node('a', { finalizers: [cleanup] });
  const lease = builderOf('coordination.k8s.io/v1', 'Lease')('a', {
    namespace: 'kube-node-lease',
    ownerReferences: [ownedBy(worker)],
  });
  const bare = pod('bare', { facts: { nodeName: 'a', phase: 'Running' } });
  const waits = 'then deleted (ex.com/cleanup of Node a)';
  const all = [
    `Lease a: kept, ${waits}`,
    `Node a: terminating, ${waits}`,
    `Pod bare: kept, ${waits}`,
  ];
  const records = [worker, lease, bare];
  expect(ends(records, worker).sort()).toEqual(all);
});

test('what another owner keeps is not in the plan, and with Orphan nothing is reached', () => {
  const other = configMap('other');
  const shared = secret('shared', { ownerReferences: [ownedBy(prod), ownedBy(other)] });
  expect(ends([prod, other, shared], prod)).toEqual([
    'Widget prod: terminating, then deleted (ex.com/cleanup of Widget prod)',
    'Secret shared: kept',
  ]);
  expect(ends([prod, set], prod, { policy: 'Orphan' })).toEqual([
    'Widget prod: terminating, then deleted (ex.com/cleanup of Widget prod)',
    'StatefulSet prod: orphaned',
  ]);
});

test('what goes then is told in the last line', () => {
  const look = { colour: false, width: undefined, now: 0 };
  const text = planAnswer.table(planned([prod, set, data], prod), look);
  expect(text.split('\n').at(-2)).toBe(
    '3 objects go: 1 PersistentVolumeClaim, 1 StatefulSet, 1 Widget; only once ex.com/cleanup is removed from Widget/prod.',
  );
});

test('the program that removes the finalizer is named where it is known', () => {
  const operator = builderOf('apps/v1', 'Deployment')('keeper-operator');
  const bound = database('prod', { finalizers: ['keeper.io/cleanup', 'finalizer.keda.sh'] });
  const { objects } = planned([bound, operator], bound);
  expect(
    objects[0]?.waitsFor?.map((wait) =>
      'kubelet' in wait ? wait.kubelet : [wait.finalizer, wait.removedBy],
    ),
  ).toEqual([
    ['finalizer.keda.sh', 'KEDA operator'],
    ['keeper.io/cleanup', 'keeper-operator'],
  ]);
});

test('a namespace goes with all that is in it, once what holds it is let go', () => {
  const shop = namespace('shop');
  const held = pod('held', { finalizers: [cleanup], facts: { nodeName: '' } });
  const loose = configMap('loose', { ownerReferences: [ownedBy(configMap('gone'))] });
  const waits = 'ex.com/cleanup of Pod held';
  expect(ends([shop, held, loose, secret('free')], shop)).toEqual([
    `Namespace shop: terminating, then deleted (${waits})`,
    'ConfigMap loose: deleted',
    `Pod held: terminating, then deleted (${waits})`,
    `Secret free: kept, then deleted (${waits})`,
  ]);
});

test('two objects that wait for each other stay terminating, and it is said why', () => {
  const going = {
    deletionTimestamp: '2026-01-02T00:00:00Z',
    finalizers: ['foregroundDeletion', cleanup],
  };
  const [one, two] = [configMap('one'), configMap('two')];
  const a = configMap('one', { ...going, ownerReferences: [ownedBy(two, blocking)] });
  const b = configMap('two', { ...going, ownerReferences: [ownedBy(one, blocking)] });
  const waits = 'ex.com/cleanup of ConfigMap one, ex.com/cleanup of ConfigMap two';
  expect(ends([a, b], a, { policy: 'Foreground' })).toEqual([
    `ConfigMap one: terminating, then terminating (${waits})`,
    `ConfigMap two: terminating, then terminating (${waits})`,
  ]);
  expect(planned([a, b], a, { policy: 'Foreground' }).objects[0]?.because).toBe(
    'requested; it is marked as being deleted and waits for foregroundDeletion, ex.com/cleanup; blocked by its dependent ConfigMap two; nothing that is simulated removes its finalizer ex.com/cleanup; when the finalizers that it waits for are removed, it still waits: requested; it is marked as being deleted and waits for foregroundDeletion; blocked by its dependent ConfigMap two',
  );
});
