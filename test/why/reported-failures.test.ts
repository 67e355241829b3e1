import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { diagnosedOf } from '../../src/questions/why/document.ts';
import { linksOf } from '../../src/why/chain.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import type { Query } from '../../src/why/inquiry.ts';
import { diagnosesIn } from '../../src/why/investigate.ts';
import { servedRecords, snapshotOf } from '../support/builders.ts';
import { kube } from '../support/kube.ts';
import { diagnosed, leaseOf, readAt } from './diagnosed.ts';

// What an object reports of itself speaks against a step: none is offered, whatever else was read.

const since = '2026-05-30T00:00:00Z';
const told = { lastTransitionTime: since, status: 'True' };
const led = leaseOf(readAt);

/** What `why` finds, in a cluster and in files that hold the same. */
async function why(line: string, objects: readonly KubeObject[]) {
  const [asked] = servedRecords(objects);
  if (!asked) throw new Error('nothing is asked');
  const origin = { kind: 'files', paths: [] } as const;
  const snapshot = snapshotOf(servedRecords(objects), { origin });
  const found = [
    await diagnosed(line, objects),
    diagnosesIn(snapshot, Date.parse(readAt), diagnose)(asked),
  ];
  return found.map((chain) => {
    const { state, blockers, fix } = diagnosedOf(chain);
    const ends = blockers.map(({ object, cause }) => `${object.kind}/${object.name} ${cause}`);
    return [state, ...ends, fix?.method];
  });
}

const definition = (reason: string, message: string, status = 'True') =>
  kube(
    'apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com',
    {
      deletionTimestamp: since,
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
    },
    {
      spec: { conversion: { strategy: 'Webhook' } },
      status: { conditions: [{ type: 'Terminating', ...told, status, reason, message }] },
    },
  );
const line = 'crd/widgets.example.com';

test('a definition whose instances the API server could not list waits for what keeps it from that', async () => {
  const message =
    'could not list instances: conversion webhook for example.com/v1, Kind=Widget failed: no route';
  const found = ['stuck', 'CustomResourceDefinition/widgets.example.com conversion-webhook-down'];
  expect(await why(line, [definition('InstanceDeletionFailed', message)])).toEqual([
    [...found, undefined],
    [...found, undefined],
  ]);
});

test('whether instances are left is unknown where the API server reports another failure', async () => {
  const found = ['unknown', 'CustomResourceDefinition/widgets.example.com instances-left'];
  for (const reason of ['InstanceDeletionFailed', 'InstanceDeletionCheck']) {
    expect(await why(line, [definition(reason, 'etcd: request timed out')])).toEqual([
      [...found, undefined],
      [...found, undefined],
    ]);
  }
});

test('a definition without instances has a step where a cluster lists none, and none where files hold none', async () => {
  const found = ['stuck', 'CustomResourceDefinition/widgets.example.com no-instances-left'];
  expect(await why(line, [definition('InstanceDeletionInProgress', '')])).toEqual([
    [...found, 'PATCH'],
    [...found, undefined],
  ]);
});

test('a namespace in files is not empty where a definition says that its instances could not be listed', async () => {
  const namespace = kube('v1 Namespace shop', { deletionTimestamp: since });
  const failed = definition('InstanceDeletionFailed', 'could not list instances: no route');
  const [, files] = await why('namespace/shop', [namespace, failed]);
  expect(files?.[0]).toBe('unknown');
  expect(files?.at(-1)).toBe(undefined);
});

const namespaceWith = (type: string, message: string) =>
  kube(
    'v1 Namespace shop',
    { deletionTimestamp: since },
    {
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating', conditions: [{ type, ...told, message }] },
    },
  );

test.each([
  'NamespaceDeletionContentFailure',
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceContentRemaining',
])('an empty namespace with %s gets no step', async (type) => {
  const [cluster, files] = await why('namespace/shop', [namespaceWith(type, 'no'), led]);
  expect([cluster, files]).toEqual([
    ['stuck', 'Namespace/shop namespace-empty', undefined],
    ['unknown', 'Namespace/shop namespace-unread', undefined],
  ]);
});

test('a namespace whose last finalizer belongs to another program gets no step while objects remain', async () => {
  const namespace = kube(
    'v1 Namespace shop',
    { deletionTimestamp: since },
    { spec: { finalizers: ['tenant.example.org/keep'] } },
  );
  const empty = await diagnosed('namespace/shop', [namespace]);
  const filled = await diagnosed('namespace/shop', [namespace, kube('v1 ConfigMap left')]);
  const steps = [empty, filled].map((chain) =>
    linksOf(chain).flatMap(({ finalizer, fix }) =>
      finalizer === 'tenant.example.org/keep' ? [fix?.method] : [],
    ),
  );
  expect(steps).toEqual([['PUT'], [undefined]]);
});

test('the webhook that a namespace names is what its content waits for', async () => {
  const webhook = kube(
    'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration guard',
    {},
    { webhooks: [{ name: 'guard.example.com', clientConfig: { url: 'https://x' } }] },
  );
  const namespace = namespaceWith(
    'NamespaceDeletionContentFailure',
    'failed calling webhook "guard.example.com": service "guard" not found',
  );
  const objects = [namespace, kube('v1 ConfigMap left'), webhook, led];
  const found = ['stuck', 'ValidatingWebhookConfiguration/guard admission-webhook-down', undefined];
  expect(await why('namespace/shop', objects)).toEqual([found, found]);
});

test('a volume whose storage could not be deleted keeps pv-protection', async () => {
  const volume = (phase: string) =>
    kube(
      'v1 PersistentVolume disk',
      { deletionTimestamp: since, finalizers: ['kubernetes.io/pv-protection'] },
      { spec: { persistentVolumeReclaimPolicy: 'Delete' }, status: { phase, message: 'busy' } },
    );
  const found = ['stuck', 'PersistentVolume/disk volume-unbound'];
  const steps = async (phase: string) => await why('pv/disk', [volume(phase), led]);
  expect(await steps('Released')).toEqual([
    [...found, 'PATCH'],
    [...found, 'PATCH'],
  ]);
  expect(await steps('Failed')).toEqual([
    [...found, undefined],
    [...found, undefined],
  ]);
});

test('an object whose namespace was removed by force has no step before the namespace is there again', async () => {
  const finalizers = ['finalizer.keda.sh'];
  const left = kube('v1 ConfigMap left', {
    namespace: 'gone',
    deletionTimestamp: since,
    finalizers,
  });
  const steps = async (answer?: Parameters<typeof diagnosed>[2]) => {
    const { state, blockers, fix } = diagnosedOf(
      await diagnosed('cm/left -n gone', [left], answer),
    );
    return [state, blockers[0]?.cause, fix?.method];
  };
  expect(await steps()).toEqual(['stuck', 'finalizer-controller-missing', 'PATCH']);
  const isHome = (query: Query) => query.ask === 'object' && query.type.kind === 'Namespace';
  const none = (query: Query) => (isHome(query) ? { readAt, value: undefined } : undefined);
  expect(await steps(none)).toEqual(['stuck', 'namespace-missing', undefined]);
});

test('a Pod whose namespace was removed by force remains while its status cannot be changed', async () => {
  const left = (phase: string) =>
    kube(
      'v1 Pod left',
      { namespace: 'gone', deletionTimestamp: since },
      { spec: { nodeName: 'n1' }, status: { phase } },
    );
  const isHome = (query: Query) => query.ask === 'object' && query.type.kind === 'Namespace';
  const causes = async (phase: string) => {
    const chain = await diagnosed('pod/left -n gone', [left(phase)], (query) =>
      isHome(query) ? { readAt, value: undefined } : undefined,
    );
    const { blockers, fix } = diagnosedOf(chain);
    return [...blockers.map(({ cause }) => cause), fix?.method];
  };
  expect(await causes('Running')).toEqual(['namespace-missing', 'node-gone', 'DELETE']);
  expect(await causes('Failed')).toEqual(['node-gone', 'DELETE']);
});

const managed = (conditions: readonly object[], finalizer = 'tenant.example.org/keep') =>
  kube(
    'example.com/v1 Widget w',
    { namespace: 'shop', deletionTimestamp: since, finalizers: [finalizer] },
    { status: { conditions } },
  );
const failing = (lastTransitionTime: string) => ({
  type: 'Ready',
  status: 'False',
  reason: 'CloudError',
  message: 'the bucket is not empty',
  lastTransitionTime,
});
const widget = 'widget/w -n shop';

const keda = 'finalizer.keda.sh';
const operator = kube(
  'apps/v1 Deployment keda-operator',
  { namespace: 'keda' },
  { spec: { replicas: 1 }, status: { readyReplicas: 1, observedGeneration: 1 } },
);

test('what a custom resource reports since its deletion began outranks that its program runs', async () => {
  const reported = managed([failing('2026-05-30T00:00:10Z')], keda);
  const found = ['stuck', 'Widget/w reported', undefined];
  expect(await why(widget, [reported, operator])).toEqual([found, found]);
});

test('what a custom resource reports since its deletion began outranks that its program is unknown', async () => {
  const reported = managed([failing('2026-05-30T00:00:10Z')]);
  const [, files] = await why(widget, [reported]);
  expect(files).toEqual(['stuck', 'Widget/w reported', undefined]);
});

test('what a custom resource reported before its deletion began is shown, and does not block it', async () => {
  const objects = [managed([failing('2026-05-01T00:00:00Z')], keda), operator];
  expect(await why(widget, objects)).toEqual([
    ['progressing', undefined],
    ['progressing', undefined],
  ]);
  const reported = linksOf(await diagnosed(widget, objects)).filter(
    ({ cause }) => cause === 'reported',
  );
  expect(reported.map(({ state }) => state)).toEqual(['fine']);
});

test('what was read outranks what an object reports, and no step is offered against it', async () => {
  // The program of a listed finalizer does not exist: that was read.
  const reported = managed([failing('2026-05-30T00:00:10Z')], keda);
  const found = ['stuck', 'Widget/w finalizer-controller-missing'];
  expect((await why(widget, [reported]))[0]).toEqual([...found, undefined]);
  expect((await why(widget, [managed([], keda)]))[0]).toEqual([...found, 'PATCH']);
});

test('a claim whose volume could not be read reports that it is Lost', async () => {
  const claim = kube(
    'v1 PersistentVolumeClaim data',
    { namespace: 'shop' },
    { spec: { volumeName: 'disk' }, status: { phase: 'Lost' } },
  );
  const chain = await diagnosed('pvc/data -n shop', [claim], (query) =>
    query.ask === 'object' && query.type.kind === 'PersistentVolume'
      ? { readAt, reason: 'forbidden', message: 'no' }
      : undefined,
  );
  const reported = linksOf(chain).filter(({ cause }) => cause === 'reported');
  expect(reported.map(({ object, rule }) => `${object.kind} ${rule}`)).toEqual([
    'PersistentVolumeClaim ',
  ]);
});

test('a claim that waits for a volume of an earlier claim of its name says so, and how the two are bound again', async () => {
  const claim = kube(
    'v1 PersistentVolumeClaim data',
    { namespace: 'shop', uid: 'new' },
    { spec: { storageClassName: 'manual' }, status: { phase: 'Pending' } },
  );
  const volume = (claimRef: object) =>
    kube('v1 PersistentVolume disk', {}, { spec: { claimRef }, status: { phase: 'Released' } });
  const told = async (claimRef: object) => {
    const chain = await diagnosed('pvc/data -n shop', [claim, volume(claimRef)]);
    const bound = linksOf(chain).filter(({ cause }) => cause === 'volume-bound');
    expect(diagnosedOf(chain).state).toBe('alive');
    return bound.map(({ object, state, command }) => [object.name, state, command !== undefined]);
  };
  const named = { namespace: 'shop', name: 'data' };
  expect(await told({ ...named, uid: 'old' })).toEqual([['disk', 'holds', true]]);
  expect(await told({ ...named, uid: 'new' })).toEqual([]);
  expect(await told(named)).toEqual([]);
  expect(await told({ ...named, name: 'other', uid: 'old' })).toEqual([]);
});

test('Pods that a quota refuses to a Deployment are what the Deployment reports', async () => {
  const failure = (status: string) => ({ type: 'ReplicaFailure', status, reason: 'FailedCreate' });
  const deployment = (status: string) =>
    kube(
      'apps/v1 Deployment web',
      { namespace: 'shop' },
      {
        spec: {},
        status: { conditions: [failure(status), { type: 'Available', status: 'False' }] },
      },
    );
  const reported = async (status: string) => {
    const chain = await diagnosed('deploy/web -n shop', [deployment(status)]);
    return linksOf(chain).filter(({ cause }) => cause === 'reported').length;
  };
  expect(await reported('True')).toBe(1);
  expect(await reported('False')).toBe(0);
});

test('a living object names the webhook without a server that refuses its deletion, and whether the server can come back', async () => {
  const map = kube('v1 ConfigMap settings', { namespace: 'shop' });
  const webhooks = [
    {
      name: 'gone.example.com',
      clientConfig: { service: { namespace: 'ops', name: 'gone' } },
      rules: [{ apiGroups: [''], resources: ['configmaps'], operations: ['DELETE'] }],
    },
  ];
  const configuration = kube(
    'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration guard',
    {},
    { webhooks },
  );
  const told = async (...more: readonly KubeObject[]) => {
    const objects = [map, configuration, ...more];
    const chain = await diagnosed('cm/settings -n shop', objects, ({ ask }) =>
      ask === 'rehearsal' ? { readAt, reason: 'forbidden', message: 'no' } : undefined,
    );
    expect(diagnosedOf(chain).state).toBe('alive');
    const down = linksOf(chain).filter(({ cause }) => cause === 'admission-webhook-down');
    return down.map(({ object, state, next }) => [object.name, state, next.split(' ')[0]]);
  };
  expect(await told()).toEqual([['guard', 'holds', 'Restore']]);
  const ops = kube('v1 Namespace ops', { deletionTimestamp: since, finalizers: ['x.com/y'] });
  expect(await told(ops)).toEqual([['guard', 'holds', 'Delete']]);
});

test('of two configurations with a webhook of one name, the one that is asked about the object is named', async () => {
  const map = kube('v1 ConfigMap settings', { namespace: 'shop' });
  const configuration = (name: string, resource: string) => {
    const rules = [{ apiGroups: [''], resources: [resource], operations: ['DELETE'] }];
    const clientConfig = { url: 'https://127.0.0.1:1/' };
    const webhooks = [{ name: 'hook.example.com', clientConfig, rules }];
    return kube(
      `admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration ${name}`,
      {},
      { webhooks },
    );
  };
  const objects = [map, configuration('first', 'secrets'), configuration('second', 'configmaps')];
  const message = 'failed calling webhook "hook.example.com": connection refused';
  const chain = await diagnosed('cm/settings -n shop', objects, ({ ask }) =>
    ask === 'rehearsal' ? { readAt, value: { accepted: false, status: 500, message } } : undefined,
  );
  const down = linksOf(chain).filter(({ cause }) => cause === 'admission-webhook-down');
  expect(down.map(({ object }) => object.name)).toEqual(['second']);
});
