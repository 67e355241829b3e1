import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { exitCodes } from '../../src/errors.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import type { DiagnosisReport } from '../../src/questions/why/document.ts';
import type { StuckDeletionsReport } from '../../src/questions/why/stuck-document.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What users of clusters have asked, each as a file of the whole cluster. */
const file = join(temporaryFolder(), 'cluster.yaml');
const ask = (line: string) =>
  gcHere(`${line} --from ${file} --complete --now 2026-02-01T00:00:00Z`);

async function json<T>(line: string): Promise<T> {
  return JSON.parse((await ask(`${line} -o json`)).stdout) as T;
}

function given(...objects: readonly object[]): void {
  writeFileSync(file, objects.map((object) => JSON.stringify(object)).join('\n'));
}

let made = 0;
/** `v1 ConfigMap shop/a`, or `v1 Node a`. */
function object(text: string, metadata: object = {}, content: object = {}) {
  const [apiVersion = '', kind = '', place = ''] = text.split(' ');
  const [namespace, name] = place.includes('/') ? place.split('/') : [undefined, place];
  const uid = `00000000-0000-4000-8000-${`${++made}`.padStart(12, '0')}`;
  const own = { name, uid, ...(namespace && { namespace }), ...metadata };
  return { apiVersion, kind, metadata: own, ...content };
}

const ending = (...finalizers: readonly string[]) => ({
  deletionTimestamp: '2026-01-30T00:00:00Z',
  finalizers,
});

function definition(kind: string, group: string, metadata: object = {}, status: object = {}) {
  const plural = `${kind.toLowerCase()}s`;
  const versions = [{ name: 'v1', served: true, storage: true }];
  const spec = { group, scope: 'Namespaced', names: { kind, plural }, versions };
  const name = `apiextensions.k8s.io/v1 CustomResourceDefinition ${plural}.${group}`;
  return object(name, metadata, { spec, status });
}

test('the custom resource of a CSI volume is deleted with the data of the PersistentVolume of its name', async () => {
  const volume = (name: string, driver: string) => {
    const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data', uid: 'c' };
    const csi = { driver, volumeHandle: name };
    const spec = { persistentVolumeReclaimPolicy: 'Retain', claimRef, csi };
    return object(`v1 PersistentVolume ${name}`, {}, { spec, status: { phase: 'Bound' } });
  };
  given(
    definition('LVMVolume', 'local.openebs.io'),
    object('local.openebs.io/v1 LVMVolume openebs/pvc-1'),
    object('local.openebs.io/v1 LVMVolume openebs/pvc-2'),
    volume('pvc-1', 'local.csi.openebs.io'),
    // Of another driver, and without a custom resource.
    volume('pvc-2', 'disk.csi.example.com'),
    volume('pvc-3', 'local.csi.openebs.io'),
  );
  const { remarks } = await json<Plan>('delete crd/lvmvolumes.local.openebs.io --preview');
  const data = remarks.filter(({ code }) => code === 'data');
  expect(data.map(({ objects }) => objects.map(({ kind, name }) => `${kind} ${name}`))).toEqual([
    ['LVMVolume pvc-1', 'PersistentVolume pvc-1'],
  ]);
});

test('objects of a namespace that was removed by force wait for it, and its name is answered by them', async () => {
  given(
    object('v1 Namespace default'),
    definition('Mesh', 'mesh.example.com'),
    object('mesh.example.com/v1 Mesh legacy/main', ending('mesh.example.com/uninstall')),
    object('v1 ConfigMap legacy/left'),
  );
  const { items } = await json<StuckDeletionsReport>('why -A');
  expect(items.map(({ state, blockers }) => [state, blockers[0]?.cause])).toEqual([
    ['stuck', 'namespace-missing'],
  ]);
  const { code, stderr } = await ask('why namespace/legacy');
  expect(code).toBe(exitCodes.failed);
  for (const part of ['Mesh/main', 'ConfigMap/left', 'kubectl create namespace legacy'])
    expect(stderr).toContain(part);
});

test('a pending request says which signer kube-controller-manager does not approve', async () => {
  const request = (name: string, signerName: string) =>
    object(
      `certificates.k8s.io/v1 CertificateSigningRequest ${name}`,
      { creationTimestamp: '2026-01-31T00:00:00Z' },
      { spec: { signerName, request: 'LS0t', usages: ['server auth'] }, status: {} },
    );
  const [serving, client] = ['kubelet-serving', 'kube-apiserver-client-kubelet'].map(
    (signer) => `kubernetes.io/${signer}`,
  );
  given(request('a', serving ?? ''), request('b', client ?? ''));
  const { items } = await json<ForecastReport>('forecast');
  expect(
    items.map(({ object: { name }, rule, because }) => [name, rule, because.includes('signer')]),
  ).toEqual([
    ['a', 'CSR-3', true],
    ['b', 'CSR-3', false],
  ]);
});

test('a finalizer is removed only after what refuses each change of its object', async () => {
  const service = { namespace: 'metrics', name: 'operator' };
  const rule = { apiGroups: ['metrics.example.com'], apiVersions: ['v1'], resources: ['agents'] };
  const webhook = {
    ...{ name: 'agents.metrics.example.com', failurePolicy: 'Fail', sideEffects: 'None' },
    ...{ clientConfig: { service }, rules: [{ ...rule, operations: ['UPDATE'] }] },
  };
  given(
    object('v1 Namespace metrics'),
    definition('Agent', 'metrics.example.com'),
    object(
      'metrics.example.com/v1 Agent metrics/stack',
      ending('apps.victoriametrics.com/finalizer'),
    ),
    object(
      'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration admission',
      {},
      {
        webhooks: [webhook],
      },
    ),
  );
  const { items } = await json<DiagnosisReport>('why agent/stack -n metrics');
  const [link] = items[0]?.chain.links ?? [];
  expect(items[0]?.blockers.map(({ object: { kind } }) => kind)).toEqual([
    'ValidatingWebhookConfiguration',
  ]);
  expect(link?.next).toMatch(/^First resolve ValidatingWebhookConfiguration admission/);
  expect(items[0]?.fix).toBeUndefined();
});

test('a kind whose instances could not be listed is not read, whatever asks for it', async () => {
  const conditions = [
    {
      ...{ type: 'Terminating', status: 'True', reason: 'InstanceDeletionFailed' },
      message:
        'could not list instances: conversion webhook for old.example.com/v1, Kind=Old failed',
    },
  ];
  const crd = ending('customresourcecleanup.apiextensions.k8s.io');
  given(definition('Old', 'old.example.com', crd, { conditions }), object('v1 ConfigMap shop/a'));
  const { objects } = await json<Plan>('delete crd/olds.old.example.com --preview');
  expect(objects.map(({ fate }) => fate)).toEqual(['unknown']);
  const { coverage } = await json<StuckDeletionsReport>('orphans -A');
  expect([coverage.complete, coverage.problems.map(({ resource }) => resource)]).toEqual([
    false,
    ['olds.old.example.com'],
  ]);
});

test('why, forecast and the Lease of the leader agree when the next pass over certificate requests is', async () => {
  const creationTimestamp = '2026-01-30T23:00:00Z';
  given(
    object(
      'certificates.k8s.io/v1 CertificateSigningRequest csr',
      { creationTimestamp },
      { spec: { signerName: 'example.com/s' }, status: {} },
    ),
    object(
      'coordination.k8s.io/v1 Lease kube-system/kube-controller-manager',
      {},
      {
        spec: {
          holderIdentity: 'a',
          leaseDurationSeconds: 15,
          acquireTime: '2026-01-20T00:50:00.000000Z',
          renewTime: '2026-01-31T23:59:59.000000Z',
        },
      },
    ),
  );
  const { items } = await json<ForecastReport>('forecast');
  expect(items.map(({ notBefore }) => notBefore)).toEqual(['2026-02-01T00:50:00Z']);
  const { stdout } = await ask('why csr/csr');
  expect(stdout).toContain('between 2026-02-01T00:50:00Z and');
});

test('an eviction from a tainted Node that failed is unknown to why and forecast alike', async () => {
  const taints = [{ key: 'a', effect: 'NoExecute', timeAdded: '2026-01-31T00:00:00Z' }];
  given(
    object('v1 Node n', {}, { spec: { taints }, status: {} }),
    object('v1 Pod shop/p', {}, { spec: { nodeName: 'n' }, status: { phase: 'Running' } }),
  );
  const { items } = await json<ForecastReport>('forecast');
  const evictions = items.filter(({ rule }) => rule === 'NODE-7');
  expect(evictions.map(({ confidence, notAfter }) => [confidence, notAfter])).toEqual([
    ['unknown', undefined],
  ]);
  const { items: why } = await json<DiagnosisReport>('why pod/p -n shop');
  expect(why[0]?.chain.links.map(({ cause }) => cause)).toEqual(['controller-unknown']);
});

test('what a policy judges in a terminating Namespace may be refused, and waits for the policy', async () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'] };
  given(
    object('v1 Namespace shop', ending(), { spec: { finalizers: ['kubernetes'] } }),
    object('v1 ConfigMap shop/a'),
    object(
      'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy lock',
      {},
      { spec: { matchConstraints: { resourceRules: [{ ...rule, resources: ['configmaps'] }] } } },
    ),
  );
  const { items } = await json<ForecastReport>('forecast');
  expect(items.map(({ object: { kind }, confidence }) => [kind, confidence])).toEqual([
    ['ConfigMap', 'unknown'],
    ['Namespace', 'unknown'],
  ]);
  const { items: why } = await json<DiagnosisReport>('why namespace/shop');
  expect(why[0]?.blockers.map(({ object: { kind }, cause }) => [kind, cause])).toEqual([
    ['ValidatingAdmissionPolicy', 'admission-policy'],
  ]);
});

test('a Pod whose deletion has begun remains stuck on its finalizer, and another will be stuck', async () => {
  const pod = { spec: { nodeName: 'gone' }, status: { phase: 'Running' } };
  given(
    object('v1 Pod shop/old', ending('example.com/f'), pod),
    object('v1 Pod shop/new', { finalizers: ['example.com/f'] }, pod),
  );
  const { items } = await json<ForecastReport>('forecast');
  expect(
    items.map(({ object: { name }, held, terminating }) => [name, held !== undefined, terminating]),
  ).toEqual([
    ['new', true, undefined],
    ['old', true, true],
  ]);
});

test('an old ControllerRevision is kept by the limit of its set, and the current one is not', async () => {
  const set = (kind: string, status: object = {}) =>
    object(`apps/v1 ${kind} shop/${kind.toLowerCase()}`, {}, { spec: { selector: {} }, status });
  const revisionOf = ({ kind, metadata }: ReturnType<typeof object>, revision: number) => {
    const { name, uid } = metadata;
    const owner = { apiVersion: 'apps/v1', kind, name, uid, controller: true };
    const place = `apps/v1 ControllerRevision shop/${name}-${revision}`;
    return object(place, { ownerReferences: [owner] }, { revision });
  };
  const daemons = set('DaemonSet');
  const members = set('StatefulSet', {
    currentRevision: 'statefulset-2',
    updateRevision: 'statefulset-2',
  });
  given(
    ...[daemons, members],
    ...[daemons, members].flatMap((one) => [revisionOf(one, 1), revisionOf(one, 2)]),
  );
  const rules = async (name: string) => {
    const { items } = await json<DiagnosisReport>(`why controllerrevision/${name} -n shop`);
    return items[0]?.chain.links.flatMap(({ cause, rule }) => (cause === 'kept' ? rule : []));
  };
  expect(await rules('daemonset-1')).toEqual(['CRH-2']);
  expect(await rules('statefulset-1')).toEqual(['CRH-1']);
  expect([await rules('daemonset-2'), await rules('statefulset-2')]).toEqual([[], []]);
});
