import { expect, test } from 'vitest';
import { serviceAccountTokenType } from '../../../src/kube/facts/secret.ts';
import { builderOf, configMap, node, ownedBy, pod, secret } from '../../support/builders.ts';
import { gcHere } from '../../support/run-here.ts';
import { planned } from './planned.ts';

const ends = (...given: Parameters<typeof planned>) =>
  planned(...given).objects.map(
    ({ kind, name, fate, then, likely }) =>
      `${kind} ${name}: ${fate}${then ? `, then ${then}` : ''}${likely ? ' (likely)' : ''}`,
  );

const running = { nodeName: 'a', phase: 'Running', terminationGracePeriodSeconds: 30 };

test('with a Node go its Lease and, by pod garbage collection, all pods that are bound to it', () => {
  const worker = node('a');
  const lease = builderOf('coordination.k8s.io/v1', 'Lease')('a', {
    namespace: 'kube-node-lease',
    ownerReferences: [ownedBy(worker)],
  });
  const daemonSet = builderOf('apps/v1', 'DaemonSet')('log');
  const ownerReferences = [ownedBy(daemonSet, { controller: true })];
  const records = [
    worker,
    node('b'),
    lease,
    daemonSet,
    pod('bare', { facts: running }),
    pod('log-x', { ownerReferences, facts: running }),
    pod('elsewhere', { facts: { ...running, nodeName: 'b' } }),
  ];
  expect(ends(records, worker)).toEqual([
    'Node a: deleted',
    'Lease a: deleted',
    'Pod bare: deleted',
    'Pod log-x: deleted',
  ]);
});

test('a pod on a Node that does not exist goes', () => {
  const lost = pod('lost', { facts: { ...running, nodeName: 'gone' } });
  expect(ends([node('a'), lost], lost)).toEqual(['Pod lost: deleted']);
});

test('with a ServiceAccount goes the Secret of its token, and with a Service its Endpoints', () => {
  const account = builderOf('v1', 'ServiceAccount')('robot');
  const token = secret('robot-token', {
    annotations: {
      'kubernetes.io/service-account.name': 'robot',
      'kubernetes.io/service-account.uid': account.uid,
    },
    facts: { secretType: serviceAccountTokenType },
  });
  expect(ends([account, token, secret('other')], account)).toEqual([
    'ServiceAccount robot: deleted',
    'Secret robot-token: deleted',
  ]);
  const service = builderOf('v1', 'Service')('web', { facts: { selector: { matchLabels: {} } } });
  const endpoints = builderOf('v1', 'Endpoints')('web');
  expect(ends([service, endpoints], service)).toEqual([
    'Service web: deleted',
    'Endpoints web: deleted',
  ]);
});

test('the volume of a claim goes with its data where a provisioner deletes it, which is likely', () => {
  const claim = builderOf('v1', 'PersistentVolumeClaim')('data', {
    finalizers: ['kubernetes.io/pvc-protection'],
    facts: { volumeName: 'pv-1', phase: 'Bound' },
  });
  const volume = builderOf('v1', 'PersistentVolume')('pv-1', {
    annotations: { 'pv.kubernetes.io/provisioned-by': 'disk.csi.example.com' },
    facts: {
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data', uid: claim.uid },
      persistentVolumeReclaimPolicy: 'Delete',
      source: { csi: 'disk.csi.example.com' },
      phase: 'Bound',
    },
  });
  expect(ends([node('a'), claim, volume, pod('other', { facts: running })], claim)).toEqual([
    'PersistentVolumeClaim data: deleted',
    'PersistentVolume pv-1: deleted (likely)',
  ]);
  const held = { ...claim, finalizers: ['example.com/backup'] };
  expect(ends([node('a'), held, volume], held)).toEqual([
    'PersistentVolumeClaim data: terminating, then deleted',
    'PersistentVolume pv-1: kept, then deleted (likely)',
  ]);
  expect(planned([node('a'), held, volume], held).objects[1]?.because).toBe(
    'nothing happens to it; when the finalizers that it waits for are removed, its claim shop/data is gone, and its reclaim policy is Delete: provisioner disk.csi.example.com deletes it, if it runs',
  );
});

test('a volume that is made for a claim may be bound to it, and go with it', () => {
  const claim = builderOf('v1', 'PersistentVolumeClaim')('data', { facts: { phase: 'Pending' } });
  const volume = (name: string, claimName: string, policy: string) =>
    builderOf('v1', 'PersistentVolume')(name, {
      facts: {
        claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: claimName },
        persistentVolumeReclaimPolicy: policy,
        phase: 'Available',
      },
    });
  const records = [
    claim,
    volume('reserved', 'data', 'Delete'),
    volume('retained', 'data', 'Retain'),
    volume('other', 'another', 'Delete'),
  ];
  expect(ends(records, claim)).toEqual([
    'PersistentVolumeClaim data: deleted',
    'PersistentVolume reserved: unknown',
  ]);
  const { because } = planned(records, claim).objects[1] ?? {};
  expect(because).toBe(
    'it is made for claim shop/data: if it is bound before that goes, it is deleted',
  );
});

test('a definition goes with all its instances, those too that are going already', () => {
  const definition = builderOf(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
  )('widgets.example.com');
  const widget = builderOf('example.com/v1', 'Widget');
  const records = [
    definition,
    widget('one'),
    widget('two', {
      namespace: 'other',
      finalizers: ['ex.com/cleanup'],
      deletionTimestamp: '2026-01-02T00:00:00Z',
    }),
    configMap('unrelated'),
  ];
  expect(ends(records, definition)).toEqual([
    'CustomResourceDefinition widgets.example.com: terminating, then deleted',
    'Widget two: terminating, then deleted',
    'Widget one: deleted',
  ]);
});

test.each([
  ['shop', 74],
  ['payments', 30],
])(
  'namespace %s of the example goes with all %i objects in it, and none comes again',
  async (name, count) => {
    const line = `delete ns/${name} -o json --from examples/clusters/shop.json.gz`;
    const { objects } = JSON.parse((await gcHere(line)).stdout) as {
      readonly objects: readonly {
        readonly namespace: string;
        readonly fate: string;
        readonly then?: string;
      }[];
    };
    const inside = objects.filter(({ namespace }) => namespace === name);
    const ending = inside.filter(({ fate, then = fate }) => then === 'deleted');
    expect([inside.length, ending.length]).toEqual([count, count]);
  },
);
