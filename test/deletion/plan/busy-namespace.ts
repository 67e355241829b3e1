import { createHash } from 'node:crypto';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { randomFrom } from '../../../src/simulator/engine/schedule.ts';
import type { Snapshot } from '../../../src/snapshot/snapshot.ts';
import { type Choose, chooser } from '../../differential/choose.ts';
import { servedRecords, snapshotOf } from '../../support/builders.ts';

type Changed = { -readonly [key in keyof KubeObject['metadata']]: KubeObject['metadata'][key] };

/** A namespace as teams have them, `shop`, and a little of another one; in it, some objects that are not plain. */
export function busyNamespace(seed: number): Snapshot {
  const choose = chooser(randomFrom(seed));
  const objects = [
    ...['well', 'silent'].map((name) => node(name)),
    home('shop'),
    home('bank'),
    ...Array.from({ length: choose.one([1, 2, 3]) }, (_, at) => application(`app-${at}`)).flat(),
    ...choose.one([[], [], storage(), jobs(), storage()]),
    make('v1', 'ServiceAccount', 'default'),
    make('v1', 'ConfigMap', 'far', { namespace: 'bank' }),
    make('example.com/v1', 'Gadget', 'wide', { namespace: '' }),
  ].map((object) => seeded(object, seed));
  const changes = choose.one([0, 0, 1, 1, 2, 3, 4]);
  for (let count = 0; count < changes; count++) change(choose.one(objects), objects, choose);
  return snapshotOf(servedRecords(objects));
}

function change(object: KubeObject, all: readonly KubeObject[], choose: Choose): void {
  const metadata = object.metadata as Changed;
  const spec = (object.spec ?? {}) as Record<string, unknown>;
  const other = choose.one(all);
  const reference = {
    apiVersion: other.apiVersion,
    kind: other.kind,
    name: other.metadata.name,
    uid: other.metadata.uid,
    controller: choose.one([undefined, true]),
    blockOwnerDeletion: choose.one([undefined, true]),
  };
  const owners = (metadata.ownerReferences ?? []) as object[];
  choose.one([
    () => (metadata.finalizers = [choose.one(['acme.io/hold', 'orphan', 'foregroundDeletion'])]),
    () => (metadata.finalizers = ['kubernetes.io/pvc-protection']),
    () => (metadata.deletionTimestamp = '2026-01-02T00:00:00Z'),
    () => (metadata.ownerReferences = [...owners, reference] as never),
    () => (metadata.ownerReferences = [...owners, reference] as never),
    () => (metadata.ownerReferences = [{ ...reference, uid: 'lost' }] as never),
    () => (metadata.ownerReferences = [{ ...reference, name: 'other' }] as never),
    () => (metadata.ownerReferences = [] as never),
    () => (metadata.labels = {}),
    () => (metadata.uid = ''),
    () => (spec.nodeName = choose.one(['silent', 'nowhere', ''])),
    () => (spec.terminationGracePeriodSeconds = choose.one([-1, 0, 7_200])),
    () => ((object as { status?: object }).status = { phase: choose.one(['Failed', 'Succeeded']) }),
    () => (spec.volumes = [{ persistentVolumeClaim: { claimName: 'data-db-0' } }]),
  ])();
}

function application(app: string): KubeObject[] {
  const labels = { app };
  const pods = { labels: { ...labels, 'pod-template-hash': 'a' } };
  const selector = { matchLabels: labels };
  const deployment = make('apps/v1', 'Deployment', app, { labels }, { replicas: 2, selector });
  const set = make(
    'apps/v1',
    'ReplicaSet',
    `${app}-a`,
    { ...pods, ...of(deployment) },
    { replicas: 2, selector: { matchLabels: pods.labels } },
  );
  const service = make('v1', 'Service', app, { labels }, { selector: labels });
  const slice = {
    'kubernetes.io/service-name': app,
    [managedBy]: 'endpointslice-controller.k8s.io',
  };
  const names = [`${app}-a-1`, `${app}-a-2`];
  return [
    deployment,
    set,
    ...names.map((name) =>
      make('v1', 'Pod', name, { ...pods, ...of(set) }, { nodeName: 'well' }, { phase: 'Running' }),
    ),
    service,
    {
      ...make('discovery.k8s.io/v1', 'EndpointSlice', `${app}-s`, {
        labels: slice,
        ...of(service),
      }),
      addressType: 'IPv4',
      endpoints: names.map((name) => ({ addresses: [], targetRef: { kind: 'Pod', name } })),
    },
    make('v1', 'ConfigMap', `${app}-settings`, of(deployment)),
    make('v1', 'Secret', `${app}-key`),
  ];
}

const managedBy = 'endpointslice.kubernetes.io/managed-by';

function storage(): KubeObject[] {
  const labels = { app: 'db' };
  const set = make(
    'apps/v1',
    'StatefulSet',
    'db',
    {},
    {
      replicas: 1,
      selector: { matchLabels: labels },
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
    },
  );
  const volumes = [{ persistentVolumeClaim: { claimName: 'data-db-0' } }];
  const claim = make(
    'v1',
    'PersistentVolumeClaim',
    'data-db-0',
    { finalizers: ['kubernetes.io/pvc-protection'] },
    { volumeName: 'disk' },
    { phase: 'Bound' },
  );
  return [
    set,
    make('v1', 'Pod', 'db-0', { labels, ...of(set) }, { nodeName: 'well', volumes }),
    claim,
    make(
      'v1',
      'PersistentVolume',
      'disk',
      { namespace: '', finalizers: ['kubernetes.io/pv-protection'] },
      {
        claimRef: { namespace: 'shop', name: 'data-db-0', uid: claim.metadata.uid },
        persistentVolumeReclaimPolicy: 'Retain',
      },
      { phase: 'Bound' },
    ),
  ];
}

function jobs(): KubeObject[] {
  const cron = make('batch/v1', 'CronJob', 'nightly');
  const job = make('batch/v1', 'Job', 'nightly-1', of(cron), { suspend: false });
  const finalizers = ['batch.kubernetes.io/job-tracking'];
  const pod = make('v1', 'Pod', 'nightly-1-x', { finalizers, ...of(job) }, { nodeName: 'well' });
  return [cron, job, pod];
}

function node(name: string): KubeObject {
  const status = name === 'well' ? 'True' : 'Unknown';
  return make(
    'v1',
    'Node',
    name,
    { namespace: '' },
    {},
    { conditions: [{ type: 'Ready', status }] },
  );
}

function home(name: string): KubeObject {
  const spec = { finalizers: ['kubernetes'] };
  return make('v1', 'Namespace', name, { namespace: '' }, spec, { phase: 'Active' });
}

function of({ apiVersion, kind, metadata: { name, uid } }: KubeObject) {
  const flags = { controller: true, blockOwnerDeletion: true };
  return { ownerReferences: [{ apiVersion, kind, name, uid, ...flags }] };
}

function make(
  apiVersion: string,
  kind: string,
  name: string,
  metadata: object = {},
  spec: object = {},
  status?: object,
): KubeObject {
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const own = { name, namespace: 'shop', uid: `${kind}/${name}`, creationTimestamp };
  return { apiVersion, kind, metadata: { ...own, ...metadata }, spec, ...(status && { status }) };
}

/** The same with other uids: the order in which a play takes objects depends on them. */
function seeded(object: KubeObject, seed: number): KubeObject {
  const uidOf = (uid: unknown) =>
    createHash('sha256').update(`${seed} ${uid}`).digest('hex').slice(0, 12);
  return JSON.parse(JSON.stringify(object), (key, value) => (key === 'uid' ? uidOf(value) : value));
}
