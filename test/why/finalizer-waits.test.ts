import { expect, test } from 'vitest';
import { nowhere, printedCommand } from '../../src/command-line/shell-command.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ResourceType } from '../../src/kube/resource-type.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { diagnosedOf } from '../../src/questions/why/document.ts';
import { linksOf } from '../../src/why/chain.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { customType, servedTypes } from '../support/builders.ts';
import { kube } from '../support/kube.ts';
import { asked, readAt } from './diagnosed.ts';

const custom = [
  'appprojects.argoproj.io/v1alpha1 AppProject',
  'applications.argoproj.io/v1alpha1 Application',
  'applicationsets.argoproj.io/v1alpha1 ApplicationSet',
  'volumesnapshots.snapshot.storage.k8s.io/v1 VolumeSnapshot',
  'providerconfigs.aws.example.io/v1 ProviderConfig',
  'providerconfigusages.aws.example.io/v1 ProviderConfigUsage',
  'buckets.aws.example.io/v1 Bucket',
  'clusters.cluster.x-k8s.io/v1beta1 Cluster',
  'machines.cluster.x-k8s.io/v1beta1 Machine',
  'challenges.acme.cert-manager.io/v1 Challenge',
  'helmreleases.helm.toolkit.fluxcd.io/v2 HelmRelease',
  'issuers.cert-manager.io/v1 Issuer',
].map((text) => customType(text));
const clusterScoped = [
  'volumesnapshotcontents.snapshot.storage.k8s.io/v1 VolumeSnapshotContent',
  'providers.pkg.crossplane.io/v1 Provider',
  'providerrevisions.pkg.crossplane.io/v1 ProviderRevision',
  'servicecidrs.networking.k8s.io/v1 ServiceCIDR',
  'ipaddresses.networking.k8s.io/v1 IPAddress',
].map((text) => customType(text, { namespaced: false }));
const served = [...servedTypes.all, ...custom, ...clusterScoped];
const types = new ResourceTypes(served, { exhaustive: true });

/** State, blockers and step of the first of these objects. */
async function why(...objects: readonly KubeObject[]) {
  const [{ apiVersion, kind, metadata }] = objects as [KubeObject];
  const type = types.find(apiVersion, kind);
  if (!type) throw new Error(kind);
  const subject = {
    type,
    namespace: String(metadata.namespace ?? ''),
    name: String(metadata.name),
  };
  const { finding } = await investigate(
    { ...asked, types },
    (inquiry) => diagnose(inquiry, subject),
    answerFromObjects(objects, types, readAt),
  );
  const { state, blockers, fix } = diagnosedOf(finding);
  const ends = blockers.map(({ object, cause }) => `${object.kind}/${object.name} ${cause}`);
  return [state, ...ends, ...(fix ? [fix.does] : [])];
}

const deleted = (finalizer: string, deletionTimestamp = '2026-05-20T00:00:00Z') => ({
  deletionTimestamp,
  finalizers: [finalizer],
});
const program = (name: string) =>
  kube(
    `apps/v1 Deployment ${name}`,
    {},
    { spec: { replicas: 1 }, status: { readyReplicas: 1, observedGeneration: 1 } },
  );

const argo = 'resources-finalizer.argocd.argoproj.io';
const controller = program('argocd-application-controller');

test('an AppProject waits for the Applications that refer to it, and an Application does not', async () => {
  const project = kube('argoproj.io/v1alpha1 AppProject team', deleted(argo));
  const application = (name: string, inProject: string, metadata = {}) =>
    kube(`argoproj.io/v1alpha1 Application ${name}`, metadata, { spec: { project: inProject } });
  const others = [application('a', 'team'), application('b', 'other')];
  expect(await why(project, controller, ...others)).toEqual(['stuck', 'Application/a in-use']);
  expect(await why(project, controller)).toEqual(['progressing']);
  const deleting = application('a', 'team', deleted(argo));
  expect(await why(deleting, controller, application('b', 'team'))).toEqual(['progressing']);
});

test('the ApplicationSet controller removes the finalizer of an ApplicationSet within a day, or its version never does', async () => {
  const set = (since?: string) =>
    kube('argoproj.io/v1alpha1 ApplicationSet all', deleted(argo, since));
  const sets = program('argocd-applicationset-controller');
  const recent = '2026-05-31T12:00:00Z';
  expect((await why(set(recent), controller))[0]).toBe('unknown');
  expect(await why(set(recent), sets)).toEqual(['progressing']);
  expect(await why(set(), sets)).toEqual(['stuck', 'ApplicationSet/all in-use']);
  const fix = `remove the finalizer ${argo} from ApplicationSet all`;
  expect(await why(set())).toEqual(['stuck', 'ApplicationSet/all in-use', fix]);
});

const snapshots = 'snapshot.storage.kubernetes.io';

test('a VolumeSnapshot waits for its content, which reports what its driver could not do', async () => {
  const snapshot = kube(
    'snapshot.storage.k8s.io/v1 VolumeSnapshot s',
    deleted(`${snapshots}/volumesnapshot-bound-protection`),
    { status: { boundVolumeSnapshotContentName: 'c' } },
  );
  const content = (time: string) =>
    kube(
      'snapshot.storage.k8s.io/v1 VolumeSnapshotContent c',
      { ...deleted(`${snapshots}/volumesnapshotcontent-bound-protection`), namespace: undefined },
      { status: { error: { time, message: 'SnapshotInUse' } } },
    );
  const runs = program('snapshot-controller');
  const failed = content('2026-05-20T00:01:00Z');
  expect(await why(snapshot, failed, runs)).toEqual(['stuck', 'VolumeSnapshotContent/c reported']);
  const before = content('2026-05-10T00:00:00Z');
  expect(await why(snapshot, before, runs)).toEqual(['progressing']);
});

test('a ProviderConfig waits for the resources whose usages name it', async () => {
  const config = kube('aws.example.io/v1 ProviderConfig default', deleted('in-use.crossplane.io'));
  const usage = (name: string, of: string) =>
    kube(`aws.example.io/v1 ProviderConfigUsage ${name}`, {
      labels: { 'crossplane.io/provider-config': of },
      ownerReferences: [
        { apiVersion: 'aws.example.io/v1', kind: 'Bucket', name, uid: 'u', controller: true },
      ],
    });
  const bucket = (name: string) => kube(`aws.example.io/v1 Bucket ${name}`);
  const objects = [usage('a', 'default'), bucket('a'), usage('b', 'other'), bucket('b')];
  expect(await why(config, ...objects)).toEqual(['stuck', 'Bucket/a in-use']);
  const failed = {
    ...bucket('a'),
    metadata: { ...bucket('a').metadata, ...deleted('finalizer.managedresource.crossplane.io') },
    status: {
      conditions: [
        { type: 'Synced', status: 'False', reason: 'ReconcileError', message: 'BucketNotEmpty' },
      ],
    },
  };
  // The resource that a usage is for does not exist.
  const stale = await why(config, usage('c', 'default'), ...objects.slice(2));
  expect(stale).toEqual(['stuck', 'ProviderConfigUsage/c in-use']);
  const provider = kube('pkg.crossplane.io/v1 Provider aws', { namespace: undefined });
  const reported = await why(config, usage('a', 'default'), failed, provider);
  expect(reported).toEqual(['stuck', 'Bucket/a reported']);
});

test.each([
  ['cluster-scoped', false, '{"spec":{"deletionPolicy":"Orphan"}}'],
  [
    'namespaced',
    true,
    '{"spec":{"managementPolicies":["Observe","Create","Update","LateInitialize"]}}',
  ],
])(
  'before a %s resource of a ProviderConfig is deleted, a patch keeps what it stands for',
  async (_, namespaced, patch) => {
    const group = 'gcp.example.io';
    const [usages, buckets, configs] = [
      'providerconfigusages.gcp.example.io/v1 ProviderConfigUsage',
      'buckets.gcp.example.io/v1 Bucket',
      'providerconfigs.gcp.example.io/v1 ProviderConfig',
    ].map((text) => customType(text, { namespaced })) as [ResourceType, ResourceType, ResourceType];
    const scoped = new ResourceTypes([...served, usages, buckets, configs], { exhaustive: true });
    const owner = { apiVersion: `${group}/v1`, kind: 'Bucket', name: 'a', uid: 'u' };
    const namespace = namespaced ? 'shop' : undefined;
    const objects = [
      kube(`${group}/v1 ProviderConfig c`, { ...deleted('in-use.crossplane.io'), namespace }),
      kube(`${group}/v1 ProviderConfigUsage a`, {
        namespace,
        labels: { 'crossplane.io/provider-config': 'c' },
        ownerReferences: [{ ...owner, controller: true }],
      }),
      kube(`${group}/v1 Bucket a`, { namespace }),
    ];
    const { finding } = await investigate(
      { ...asked, types: scoped },
      (inquiry) => diagnose(inquiry, { type: configs, namespace: namespace ?? '', name: 'c' }),
      answerFromObjects(objects, scoped, readAt),
    );
    const where = namespaced ? ' -n shop' : '';
    const printed = linksOf(finding).flatMap(({ command }) =>
      command ? printedCommand(command.command, nowhere) : [],
    );
    expect(printed).toEqual([`kubectl patch bucket.${group}/a${where} --type=merge -p '${patch}'`]);
  },
);

test('a provider of Crossplane is gone where no Provider is installed, and unclear where one is', async () => {
  const managed = 'finalizer.managedresource.crossplane.io';
  const bucket = kube('aws.example.io/v1 Bucket a', deleted(managed));
  const provider = (kind: string) =>
    kube(`pkg.crossplane.io/v1 ${kind} aws`, { namespace: undefined });
  expect(await why(bucket)).toEqual([
    'stuck',
    'Bucket/a finalizer-controller-missing',
    `remove the finalizer ${managed} from Bucket a`,
  ]);
  const unclear = ['unknown', 'Bucket/a finalizer-controller-unknown'];
  expect(await why(bucket, provider('Provider'))).toEqual(unclear);
  expect(await why(bucket, provider('ProviderRevision'))).toEqual(unclear);
});

test('a Cluster of Cluster API waits for its Machines, and a late one says what it waits for', async () => {
  const cluster = kube('cluster.x-k8s.io/v1beta1 Cluster eu', deleted('cluster.cluster.x-k8s.io'));
  const machine = (type: string, status: string) =>
    kube(
      'cluster.x-k8s.io/v1beta1 Machine m',
      {
        ...deleted('machine.cluster.x-k8s.io'),
        labels: { 'cluster.x-k8s.io/cluster-name': 'eu' },
      },
      {
        status: {
          conditions: [
            {
              ...{ type, status, reason: 'Draining', message: 'cannot evict pod' },
              lastTransitionTime: '2026-05-20T00:01:00Z',
            },
          ],
        },
      },
    );
  const runs = program('capi-controller-manager');
  const found = ['stuck', 'Machine/m reported'];
  expect(await why(cluster, machine('DrainingSucceeded', 'False'), runs)).toEqual(found);
  expect(await why(cluster, machine('Deleting', 'True'), runs)).toEqual(found);
  expect(await why(cluster, machine('Deleting', 'False'), runs)).toEqual(['progressing']);
  expect(await why(cluster, runs)).toEqual(['progressing']);
});

test.each([
  ['DNS-01', 'owner-missing'],
  ['HTTP-01', 'reported'],
])('a %s challenge whose Issuer does not exist', async (type, cause) => {
  const challenge = kube(
    'acme.cert-manager.io/v1 Challenge web',
    deleted('acme.cert-manager.io/finalizer'),
    {
      spec: { type, issuerRef: { name: 'le' } },
      status: { reason: 'issuer not found' },
    },
  );
  const runs = program('cert-manager');
  expect(await why(challenge, runs)).toEqual(['stuck', `Challenge/web ${cause}`]);
  const issuer = kube('cert-manager.io/v1 Issuer le');
  expect(await why(challenge, runs, issuer)).toEqual(['stuck', 'Challenge/web reported']);
});

test('a condition of Argo CD, which has no status, is there while it is true', async () => {
  const conditions = [
    { type: 'DeletionError', message: 'no project', lastTransitionTime: '2026-05-20T00:01:00Z' },
  ];
  const application = kube('argoproj.io/v1alpha1 Application a', deleted(argo), {
    status: { conditions },
  });
  expect(await why(application, controller)).toEqual(['stuck', 'Application/a reported']);
});

test.each([
  ['Delete', ['unknown', 'PersistentVolume/disk finalizer-controller-unknown']],
  ['Retain', ['stuck', 'PersistentVolume/disk volume-retained']],
])("a %s volume with its provisioner's finalizer", async (policy, told) => {
  const finalizer = 'external-provisioner.volume.kubernetes.io/finalizer';
  const spec = { persistentVolumeReclaimPolicy: policy };
  const status = { phase: 'Released' };
  const volume = kube('v1 PersistentVolume disk', deleted(finalizer), { spec, status });
  expect(await why(volume, program('csi-provisioner'))).toEqual(told);
});

test('an attachment waits for its volume to be there, and for its driver to succeed', async () => {
  const attachment = (status: object, since?: string) =>
    kube(
      'storage.k8s.io/v1 VolumeAttachment csi-a',
      deleted('external-attacher/disk-example-com', since),
      {
        spec: { attacher: 'disk', nodeName: 'n', source: { persistentVolumeName: 'disk' } },
        status: { attached: true, ...status },
      },
    );
  const volume = kube('v1 PersistentVolume disk');
  const detachError = { time: '2026-05-20T00:01:00Z', message: 'busy' };
  expect(await why(attachment({}))).toEqual(['stuck', 'VolumeAttachment/csi-a volume-attached']);
  expect(await why(attachment({}), volume)).toEqual([
    'unknown',
    'VolumeAttachment/csi-a finalizer-controller-unknown',
  ]);
  expect(await why(attachment({ detachError }), volume)).toEqual([
    'stuck',
    'VolumeAttachment/csi-a reported',
  ]);
  // A driver that failed once tries again.
  expect((await why(attachment({ detachError }, readAt), volume))[0]).toBe('unknown');
});

test('a Node waits for pods that are not evicted, once its deletion is late', async () => {
  const node = (since?: string) => kube('v1 Node n1', deleted('karpenter.sh/termination', since));
  const pod = (name: string, metadata: object, nodeName = 'n1') =>
    kube(`v1 Pod ${name}`, metadata, { spec: { nodeName }, status: { phase: 'Running' } });
  const labels = { app: 'db' };
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  const budget = (allowed: number) =>
    kube(
      'policy/v1 PodDisruptionBudget db',
      {},
      { spec: { selector: { matchLabels: labels } }, status: { disruptionsAllowed: allowed } },
    );
  const daemon = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u' };
  const pods = [
    pod('db-0', { labels }),
    pod('batch', { annotations }),
    pod('web', {}),
    pod('elsewhere', { annotations }, 'n2'),
    pod('agent', { annotations, ownerReferences: [daemon] }),
  ];
  const karpenter = program('karpenter');
  const held = ['PodDisruptionBudget/db in-use', 'Pod/batch in-use'];
  expect(await why(node(), karpenter, budget(0), ...pods)).toEqual(['stuck', ...held]);
  expect(await why(node(), karpenter, budget(1), ...pods)).toEqual(['stuck', 'Pod/batch in-use']);
  const recent = node('2026-05-31T12:00:00Z');
  expect(await why(recent, karpenter, budget(0), ...pods)).toEqual(['progressing']);
});

test('a claim that is Lost and a volume that is Failed say why, and are not being deleted', async () => {
  const spec = { volumeName: 'disk' };
  const claim = kube('v1 PersistentVolumeClaim data', {}, { spec, status: { phase: 'Lost' } });
  const volume = (uid: string) =>
    kube(
      'v1 PersistentVolume disk',
      {},
      { spec: { claimRef: { uid } }, status: { phase: 'Bound' } },
    );
  const reports = async (...objects: KubeObject[]) => {
    const { finding } = await investigate(
      { ...asked, types },
      (inquiry) => {
        const [{ apiVersion, kind, metadata }] = objects as [KubeObject];
        const type = types.find(apiVersion, kind);
        if (!type) throw new Error(kind);
        const name = String(metadata.name);
        return diagnose(inquiry, { type, namespace: String(metadata.namespace ?? ''), name });
      },
      answerFromObjects(objects, types, readAt),
    );
    return [
      diagnosedOf(finding).state,
      ...finding.links.flatMap(({ cause, rule }) => (cause === 'reported' ? [rule] : [])),
    ];
  };
  expect(await reports(claim, volume('another'))).toEqual(['alive', 'PV-2']);
  expect(await reports(claim)).toEqual(['alive', 'PV-2']);
  expect(await reports(claim, volume('uid-data'))).toEqual(['alive']);
  const failed = { phase: 'Failed', message: 'no volume plugin matched' };
  const broken = kube('v1 PersistentVolume disk', {}, { spec: {}, status: failed });
  expect(await reports(broken)).toEqual(['alive', 'PV-6']);
});

test('a ServiceCIDR waits for the IPAddresses that no other ServiceCIDR contains', async () => {
  const range = kube(
    'networking.k8s.io/v1 ServiceCIDR extra',
    { ...deleted('networking.k8s.io/service-cidr-finalizer'), namespace: '' },
    { spec: { cidrs: ['10.9.0.0/24'] } },
  );
  const labels = { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' };
  const parentRef = { group: '', resource: 'services', namespace: 'shop', name: 'web' };
  const address = (name: string) =>
    kube(
      `networking.k8s.io/v1 IPAddress ${name}`,
      { labels, namespace: '' },
      { spec: { parentRef } },
    );
  expect(await why(range, address('10.9.0.7'), address('10.0.0.7'))).toEqual([
    'stuck',
    'IPAddress/10.9.0.7 in-use',
  ]);
  expect((await why(range, address('10.0.0.7')))[0]).not.toBe('stuck');
});

test('a program that is down is named, though one of the same project runs', async () => {
  const controller = (name: string, ready: number) =>
    kube(
      `apps/v1 Deployment ${name}`,
      { namespace: 'flux-system' },
      {
        spec: {
          replicas: ready,
          template: {
            spec: { containers: [{ name: 'main', image: `ghcr.io/fluxcd/${name}:v1` }] },
          },
        },
        status: { readyReplicas: ready, observedGeneration: 1 },
      },
    );
  const release = kube('helm.toolkit.fluxcd.io/v2 HelmRelease r', deleted('finalizers.fluxcd.io'));
  const programs = [controller('kustomize-controller', 1), controller('helm-controller', 0)];
  expect(await why(release, ...programs)).toEqual([
    'stuck',
    'HelmRelease/r finalizer-controller-down',
  ]);
});
