import { describe, expect, test } from 'vitest';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { refusalsOf } from '../../../src/perform/limits.ts';
import { questionOf } from '../../../src/perform/question.ts';
import { planAnswer } from '../../../src/questions/delete/text.ts';
import { servedTypes, snapshotOf } from '../../support/builders.ts';
import { objectsFrom } from '../../support/objects-from.ts';
import { endsOf, planned } from './planned.ts';
import { casesOfPlans, plansFrom } from './told.ts';

const bound = (claim: string, policy = 'Delete') =>
  `{claimRef: {kind: PersistentVolumeClaim, namespace: shop, name: ${claim}, uid: uid-persistentvolumeclaim-shop-${claim}}, persistentVolumeReclaimPolicy: ${policy}, source: {hostPath: /tmp/disk}, phase: Bound}`;
const mounting = (claim: string) =>
  `facts: {nodeName: worker, phase: Running, volumes: [{name: disk, claimName: ${claim}}]}`;
const claim = 'finalizers: [kubernetes.io/pvc-protection]';
const ofDisk = `${claim}, facts: {volumeName: pv-disk, phase: Bound}`;
const objects = `
  worker   | Node worker    | {facts: {conditions: [{type: Ready, status: "True"}]}}
  disk     | PersistentVolumeClaim disk | {${ofDisk}}
  volume   | PersistentVolume pv-disk   | {finalizers: [kubernetes.io/pv-protection], facts: ${bound('disk')}}
  retained | PersistentVolume pv-disk   | {finalizers: [kubernetes.io/pv-protection], facts: ${bound('disk', 'Retain')}}
  reader   | Pod reader     | {${mounting('disk')}}
  release  | Widget release
  part     | Widget part    | {by: release, finalizers: [ex.com/cleanup]}
  inner    | Pod inner      | {by: part, ${mounting('disk')}}
  own      | PersistentVolumeClaim disk | {by: release, ${ofDisk}}
  key      | Secret key
  note     | ConfigMap note
  class    | VolumeAttributesClass fast | {finalizers: [kubernetes.io/vac-protection]}
  fast     | PersistentVolumeClaim fast | {facts: {volumeAttributesClassName: fast}}
  range    | ServiceCIDR range | {finalizers: [networking.k8s.io/service-cidr-finalizer], facts: {cidrs: [10.9.0.0/24]}}
  address  | IPAddress 10.9.0.7 | {labels: {ipaddress.kubernetes.io/managed-by: ipallocator.k8s.io}}
  devices  | ResourceClaim devices
      | {finalizers: [resource.kubernetes.io/delete-protection], facts: {allocated: true, reservedFor: [{resource: pods, name: reader, uid: uid-pod-shop-reader}]}}
  balancer | Service balancer | {finalizers: [service.kubernetes.io/load-balancer-cleanup]}
  attached | VolumeAttachment attached | {finalizers: [external-attacher/disk-example-com]}
  shop     | Namespace shop | {facts: {specFinalizers: [kubernetes, ex.com/keep]}}
  plain    | Namespace shop
  role     | ClusterRole tenant
`;
const references = `
  disk     | disk
  volume   | volume
  class    | class
  range    | range
  devices  | devices
  balancer | balancer
  attached | attached
  shop     | shop
`;
/** What a dependent of an object waits for. */
const once = (finalizer: string, object: string) => `then deleted (${finalizer} of ${object})`;
const unused = once('kubernetes.io/pvc-protection', 'PersistentVolumeClaim disk');
const unbound = once('kubernetes.io/pv-protection', 'PersistentVolume pv-disk');
const cleaned = once('ex.com/cleanup', 'Widget part');

describe('a plan counts what is deleted once Kubernetes removes its own finalizer', () => {
  casesOfPlans(
    endsOf,
    objects,
    `
    from a claim that a running pod uses | disk; volume; reader; worker; key <- disk |
        | PersistentVolumeClaim disk: terminating, ${unused} | Secret key: kept, ${unused} | PersistentVolume pv-disk: kept, ${unused}
    but not the volume that is retained | disk; retained; reader; worker | | PersistentVolumeClaim disk: terminating, ${unused}
    from a volume that is bound | volume; disk; key <- volume |
        | PersistentVolume pv-disk: terminating, ${unbound} | Secret key: kept, ${unbound}
    `,
    references,
  );
  test.each([
    ['VolumeAttributesClass fast', 'class; fast; key <- class', 'kubernetes.io/vac-protection'],
    [
      'ServiceCIDR range',
      'range; address; key <- range',
      'networking.k8s.io/service-cidr-finalizer',
    ],
    [
      'ResourceClaim devices',
      'devices; reader; worker; key <- devices',
      'resource.kubernetes.io/delete-protection',
    ],
    [
      'Service balancer',
      'balancer; key <- balancer',
      'service.kubernetes.io/load-balancer-cleanup',
    ],
    [
      'VolumeAttachment attached',
      'attached; key <- attached',
      'external-attacher/disk-example-com',
    ],
  ])('from a %s', (object, there, finalizer) => {
    expect(endsOf(plansFrom(objects, references)(there))).toEqual([
      `${object}: terminating, ${once(finalizer, object)}`,
      `Secret key: kept, ${once(finalizer, object)}`,
    ]);
  });
});

describe('a claim waits for what its pod waits for', () => {
  casesOfPlans(
    endsOf,
    objects,
    `
    where the pod is deleted only then | release; part; inner; own; volume; worker |
        | Widget release: deleted | PersistentVolumeClaim disk: terminating, ${cleaned} | Widget part: terminating, ${cleaned}
        | Pod inner: kept, ${cleaned} | PersistentVolume pv-disk: kept, ${cleaned}
    and where another pod uses it as well, for its own protection too
        | release; part; inner; own; reader; worker |
        | Widget release: deleted
        | PersistentVolumeClaim disk: terminating, then deleted (kubernetes.io/pvc-protection of PersistentVolumeClaim disk, ex.com/cleanup of Widget part)
        | Widget part: terminating, ${cleaned} | Pod inner: kept, ${cleaned}
    as does its volume | volume; disk {finalizers: [kubernetes.io/pvc-protection, ex.com/cleanup]} | volume, disk
        | PersistentVolume pv-disk: terminating, then deleted (ex.com/cleanup of PersistentVolumeClaim disk)
        | PersistentVolumeClaim disk: terminating, then deleted (ex.com/cleanup of PersistentVolumeClaim disk)
    `,
    references,
  );
});

describe('where a controller does not run', () => {
  const recordsOf = objectsFrom(objects, references);
  const endsWithout = (controller: string, there: string, policy: 'Background' | 'Foreground') => {
    const records = recordsOf(there);
    const settings = { controllers: ['*', `-${controller}`] };
    return endsOf(planned(records, records.slice(0, 1), { policy }, {}, { settings }));
  };

  test('what waits for the claim counts, whatever pods there are', () => {
    expect(
      endsWithout(
        'persistentvolumeclaim-protection-controller',
        'disk; volume; key <- disk',
        'Background',
      ),
    ).toEqual([
      `PersistentVolumeClaim disk: terminating, ${unused}`,
      `Secret key: kept, ${unused}`,
      `PersistentVolume pv-disk: kept, ${unused}`,
    ]);
  });

  test('what other controllers delete counts, and not what the garbage collector would', () => {
    const collected = once('foregroundDeletion', 'PersistentVolumeClaim disk');
    expect(
      endsWithout('garbage-collector-controller', 'disk; volume; key <- disk', 'Foreground'),
    ).toEqual([
      `PersistentVolumeClaim disk: terminating, ${collected}`,
      `PersistentVolume pv-disk: kept, ${collected}`,
    ]);
  });
});

describe('a plan counts what a Namespace owns and is deleted once its spec has no finalizer', () => {
  test('of another program', () => {
    const kept = once('ex.com/keep', 'Namespace shop');
    expect(endsOf(plansFrom(objects, references)('shop; note; role <- shop'))).toEqual([
      `Namespace shop: terminating, ${kept}`,
      `ClusterRole tenant: kept, ${kept}`,
      'ConfigMap note: deleted',
    ]);
  });

  test('of Kubernetes, which stays while an API does not answer', () => {
    const failed = [{ group: 'metrics.k8s.io', version: 'v1beta1', message: 'it is down' }];
    const types = new ResourceTypes(servedTypes.all, { exhaustive: true, failed });
    const records = objectsFrom(objects, 'plain | plain')('plain; note; role <- plain');
    const held = once('v1beta1.metrics.k8s.io', 'Namespace shop');
    expect(endsOf(planned(records, records.slice(0, 1), {}, { types }))).toEqual([
      `Namespace shop: terminating, ${held}`,
      `ClusterRole tenant: kept, ${held}`,
      'ConfigMap note: deleted',
    ]);
  });
});

test('the controller of a finalizer of Kubernetes is named, without a state', () => {
  const [held] = plansFrom(objects, references)('disk; reader; worker').objects;
  expect(held?.waitsFor?.map((wait) => ({ ...wait, object: wait.object.name }))).toEqual([
    {
      finalizer: 'kubernetes.io/pvc-protection',
      object: 'disk',
      removedBy: 'PVC protection controller',
    },
  ]);
});

test('the objects that are deleted then count for the limit, the question and the names of a preview', () => {
  const records = objectsFrom(objects, references)('disk; volume; reader; worker; key <- disk');
  const plan = planned(records, records.slice(0, 1));
  const limits = {
    allowProtected: false,
    allowIncomplete: false,
    isAgreed: true,
    asksFirst: () => false,
    preview: '--preview',
    gapLines: () => [],
  };
  const refusedBy = (maxDeletes: number) =>
    refusalsOf({ plan, snapshot: snapshotOf(records) }, { ...limits, maxDeletes }).map(
      ({ code }) => code,
    );
  expect([2, 3].map(refusedBy)).toEqual([['too-many-deletes'], []]);
  expect(questionOf({ plan, snapshot: snapshotOf(records) }, true)?.question).toContain(
    'these 3 objects',
  );
  expect(planAnswer.namesOf(plan)).toHaveLength(3);
});
