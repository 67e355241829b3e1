import { describe, expect, test } from 'vitest';
import { serviceAccountTokenType } from '../../../src/kube/facts/secret.ts';
import { planAnswer } from '../../../src/questions/delete/text.ts';
import { blockerOf, endsOf } from './planned.ts';
import { casesOfPlans, plansFrom } from './told.ts';

const token = `{annotations: {kubernetes.io/service-account.name: robot, kubernetes.io/service-account.uid: uid-serviceaccount-shop-robot}, facts: {secretType: ${serviceAccountTokenType}}}`;
const bound =
  '{facts: {claimRef: {kind: PersistentVolumeClaim, namespace: shop, name: disk, uid: uid-persistentvolumeclaim-shop-disk}, persistentVolumeReclaimPolicy: Delete, source: {hostPath: /tmp/disk}, phase: Bound}}';
const objects = `
  prod      | Widget prod              | {finalizers: [ex.com/cleanup]}
  set       | StatefulSet prod         | {by: prod}
  data      | PersistentVolumeClaim data-prod-0 | {by: set}
  secret    | Secret other
  inner     | ConfigMap inner          | {by: prod, finalizers: [ex.com/two]}
  last      | Secret last              | {by: inner}
  account   | ServiceAccount robot     | {by: prod}
  token     | Secret robot-token       | ${token}
  disk      | PersistentVolumeClaim disk | {by: prod, facts: {volumeName: pv-1, phase: Bound}}
  volume    | PersistentVolume pv-1    | ${bound}
  service   | Service web              | {by: prod}
  endpoints | Endpoints web
  worker    | Node a                   | {finalizers: [ex.com/cleanup]}
  lease     | Lease kube-node-lease/a  | {by: worker}
  bare      | Pod bare                 | {facts: {nodeName: a, phase: Running}}
  other     | ConfigMap other
  shared    | Secret shared
  shop      | Namespace shop
  held      | Pod held                 | {finalizers: [ex.com/cleanup], facts: {nodeName: ""}}
  loose     | ConfigMap loose
  operator  | Deployment keeper-operator
  keeper    | Widget prod              | {finalizers: [keeper.io/cleanup, finalizer.keda.sh]}
  one       | ConfigMap one            | {deleting: true, finalizers: [foregroundDeletion, ex.com/cleanup]}
  two       | ConfigMap two            | {deleting: true, finalizers: [foregroundDeletion, ex.com/cleanup]}
`;
const references = `
  prod  | prod
  other | other
  gone  | v1 ConfigMap gone
  one   | one
  two   | two
`;
const planOf = plansFrom(objects, references);

describe('a plan goes on past the finalizer of an operator', () => {
  const itself = 'Widget prod: terminating, then deleted (ex.com/cleanup of Widget prod)';
  const kept = 'kept, then deleted (ex.com/cleanup of Widget prod)';
  const both = 'then deleted (ex.com/two of ConfigMap inner, ex.com/cleanup of Widget prod)';
  const ofNode = 'then deleted (ex.com/cleanup of Node a)';
  const ofPod = 'then deleted (ex.com/cleanup of Pod held)';
  const ofOne = 'then deleted (ex.com/cleanup of ConfigMap one)';
  const each =
    'then deleted (ex.com/cleanup of ConfigMap one, foregroundDeletion of ConfigMap one, ex.com/cleanup of ConfigMap two, foregroundDeletion of ConfigMap two)';
  casesOfPlans(
    endsOf,
    objects,
    `
    to what goes with it | prod; set; data; secret |
        | ${itself} | StatefulSet prod: ${kept} | PersistentVolumeClaim data-prod-0: ${kept}
    to what is held by the next finalizer | prod; inner; last |
        | ${itself} | ConfigMap inner: kept, ${both} | Secret last: kept, ${both}
    to what controllers delete after it | prod; account; token; disk; volume; service; endpoints |
        | ${itself} | PersistentVolumeClaim disk: ${kept} | Service web: ${kept} | ServiceAccount robot: ${kept}
        | Endpoints web: ${kept} | PersistentVolume pv-1: ${kept} | Secret robot-token: ${kept}
    to what is bound to a Node | worker; lease; bare |
        | Node a: terminating, ${ofNode} | Lease a: kept, ${ofNode} | Pod bare: kept, ${ofNode}
    not to what another owner keeps | prod; other; shared <- prod, other | | ${itself} | Secret shared: kept
    not to what is orphaned | prod; set | {policy: Orphan} | ${itself} | StatefulSet prod: orphaned
    to all of a namespace | shop; held; loose <- gone; secret | | Namespace shop: terminating, ${ofPod}
        | ConfigMap loose: deleted | Pod held: terminating, ${ofPod} | Secret other: kept, ${ofPod}
    to what follows an object that is being deleted already
        | other; one {finalizers: [ex.com/cleanup]} <- other; secret <- one | | ConfigMap other: deleted
        | ConfigMap one: terminating, ${ofOne} | Secret other: kept, ${ofOne}
    to what waits for each other, where the garbage collector never ends it | one <- two!; two <- one! | {policy: Foreground}
        | ConfigMap one: terminating, ${each} | ConfigMap two: terminating, ${each}
    `,
    references,
  );
});

test('objects that are deleted after a finalizer name what they wait for', () => {
  const { then: end, ...reached } = planOf('prod; set').objects[1] ?? {};
  expect(end).toBe('deleted');
  expect(reached).toEqual({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    namespace: 'shop',
    name: 'prod',
    uid: 'uid-statefulset-shop-prod',
    wave: 1,
    goesWith: 'uid-widget-shop-prod',
    fate: 'kept',
    waitsFor: [
      {
        finalizer: 'ex.com/cleanup',
        object: {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          namespace: 'shop',
          name: 'prod',
          uid: 'uid-widget-shop-prod',
        },
      },
    ],
    because: expect.any(String),
    rule: 'GC-22.10',
    blockedBy: [],
  });
});

test('the last lines count what is deleted then', () => {
  const look = { colour: false, width: undefined, now: 0 };
  const text = planAnswer.tableOf(planOf('prod; set; data'), look);
  expect(text.split('\n').slice(-3, -1)).toEqual([
    '3 objects will be deleted: 1 PersistentVolumeClaim, 1 StatefulSet, 1 Widget.',
    'All wait for finalizer ex.com/cleanup of Widget/prod.',
  ]);
});

test('the program that removes the finalizer is named where it is known', () => {
  expect(
    planOf('keeper; operator').objects[0]?.waitsFor?.map((wait) =>
      'finalizer' in wait ? [wait.finalizer, wait.removedBy] : blockerOf(wait),
    ),
  ).toEqual([
    ['finalizer.keda.sh', 'KEDA operator'],
    ['keeper.io/cleanup', 'keeper-operator'],
  ]);
});
