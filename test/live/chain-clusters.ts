import type { KubeObject } from '../../src/kube/record-codec.ts';
import { timestampOf } from '../../src/kube/time.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import type { Random } from './seeded-random.ts';

const containers = [{ name: 'c', image: 'i' }];
const running = { phase: 'Running' };
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

interface Draw {
  /** Names the namespace and all that is in it, and on its Nodes. */
  readonly name: string;
  readonly random: Random;
  readonly now: number;
}

interface Described {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Of one namespace, with uids that can be foreseen. */
function inNamespace(name: string, objects: readonly Described[]): KubeObject[] {
  return objects.map((object) => ({
    apiVersion: 'v1',
    ...object,
    metadata: {
      namespace: name,
      uid: uidOf(name, object.kind, object.metadata.name),
      ...object.metadata,
    },
  })) as unknown as KubeObject[];
}

function uidOf(namespace: string, kind: string, name: string): string {
  return `uid-${namespace}-${kind.toLowerCase()}-${name}`;
}

function clusterScoped(object: Described): KubeObject {
  const { metadata } = object;
  return {
    apiVersion: 'v1',
    ...object,
    metadata: { uid: uidOf('', object.kind, metadata.name), ...metadata },
  } as unknown as KubeObject;
}

const nodeOf = (name: string, spec: object = {}) =>
  clusterScoped({ kind: 'Node', metadata: { name }, spec, status: ready });

const ownedBy = (namespace: string, apiVersion: string, kind: string, name: string) => ({
  ownerReferences: [
    { apiVersion, kind, name, uid: uidOf(namespace, kind, name), controller: true },
  ],
});

/** A pod that no kubelet has to end. */
const pod = (
  name: string,
  nodeName: string,
  spec: object = {},
  metadata: object = {},
): Described => ({
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { nodeName, terminationGracePeriodSeconds: 0, containers, ...spec },
  status: running,
});

/** Pods on missing Nodes use a claim that is being deleted, and own what the garbage collector takes. */
function pods({ name, random, now }: Draw, node: string): KubeObject[] {
  const users = ['p', 'q'].slice(0, 1 + random(2));
  const volume = `disk-${name}`;
  const uses = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] };
  return [
    ...inNamespace(name, [
      ...users.map((user, at) => pod(user, at === 0 ? node : `other-${node}`, uses)),
      ...users.map((user) => ({
        kind: 'ConfigMap',
        metadata: { name: `of-${user}`, ...ownedBy(name, 'v1', 'Pod', user) },
      })),
      {
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: 'data',
          deletionTimestamp: timestampOf(now),
          deletionGracePeriodSeconds: 0,
          finalizers: ['kubernetes.io/pvc-protection'],
          annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
        },
        spec: { ...claimSpec, volumeMode: 'Filesystem', volumeName: volume },
        status: { phase: 'Bound' },
      },
    ]),
    boundVolume(name, volume, 'data'),
  ];
}

/** It is deleted after its claim. */
function boundVolume(namespace: string, volume: string, claim: string): KubeObject {
  return clusterScoped({
    kind: 'PersistentVolume',
    metadata: { name: volume, finalizers: ['kubernetes.io/pv-protection'] },
    spec: volumeSpec('kubectl-gc-no-such-directory', {
      persistentVolumeReclaimPolicy: 'Delete',
      volumeMode: 'Filesystem',
      claimRef: {
        ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claim },
        uid: uidOf(namespace, 'PersistentVolumeClaim', claim),
      },
    }),
    status: { phase: 'Bound' },
  });
}

const missing = (draw: Draw) => pods(draw, `gone-${draw.name}`);

/** A Node that the test deletes. */
const leaving = (draw: Draw) => [
  ...pods(draw, `leaves-${draw.name}`),
  nodeOf(`leaves-${draw.name}`),
];

/** A pod bears the taint of its Node for a while, and has a claim of devices. */
function tainted({ name, random }: Draw): KubeObject[] {
  const key = 'example.com/broken';
  const stays = { key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 8 + random(25) };
  return [
    nodeOf(`tainted-${name}`, { taints: [{ key, effect: 'NoExecute' }] }),
    ...inNamespace(name, [
      pod('p', `tainted-${name}`, {
        tolerations: random(4) === 0 ? [] : [stays],
        resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
      }),
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaim',
        metadata: {
          name: 'gpu',
          finalizers: ['resource.kubernetes.io/delete-protection'],
          ...ownedBy(name, 'v1', 'Pod', 'p'),
        },
        spec: {
          devices: {
            requests: [
              {
                name: 'gpu',
                exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 },
              },
            ],
          },
        },
        status: {
          allocation: {
            devices: {
              results: [{ request: 'gpu', driver: 'gpu.example.com', pool: name, device: 'a' }],
            },
          },
          reservedFor: [{ resource: 'pods', name: 'p', uid: uidOf(name, 'Pod', 'p') }],
        },
      },
    ]),
  ];
}

const job = { apiVersion: 'batch/v1', kind: 'Job' };

/** A Job with two pods, one on a missing Node and one on `worker`; its time to live deletes it and what it owns. */
function jobWith(
  { name, random, now }: Draw,
  spec: object,
  nodes: readonly string[],
): KubeObject[] {
  const labels = {
    'batch.kubernetes.io/job-name': 'import',
    'batch.kubernetes.io/controller-uid': uidOf(name, 'Job', 'import'),
    'job-name': 'import',
    'controller-uid': uidOf(name, 'Job', 'import'),
  };
  const template = {
    metadata: { labels },
    spec: { containers, restartPolicy: 'Never', terminationGracePeriodSeconds: 0 },
  };
  const startTime = timestampOf(now);
  return inNamespace(name, [
    {
      ...job,
      metadata: { name: 'import', generation: 1, creationTimestamp: startTime },
      spec: {
        ...{ backoffLimit: 0, parallelism: 2, completions: 2, completionMode: 'NonIndexed' },
        ...{
          ttlSecondsAfterFinished: random(12),
          suspend: false,
          podReplacementPolicy: 'TerminatingOrFailed',
        },
        selector: {
          matchLabels: { 'batch.kubernetes.io/controller-uid': uidOf(name, 'Job', 'import') },
        },
        manualSelector: false,
        template,
        ...spec,
      },
      status: { active: 2, ready: 0, startTime, uncountedTerminatedPods: {} },
    },
    {
      kind: 'ConfigMap',
      metadata: { name: 'made', ...ownedBy(name, 'batch/v1', 'Job', 'import') },
    },
    ...nodes.map((node, at) =>
      pod(
        `import-${at}`,
        node,
        { restartPolicy: 'Never' },
        {
          labels,
          finalizers: ['batch.kubernetes.io/job-tracking'],
          ...ownedBy(name, 'batch/v1', 'Job', 'import'),
        },
      ),
    ),
  ]);
}

/** It fails by a pod that is lost. */
const failing = (draw: Draw) => jobWith(draw, {}, [`gone-${draw.name}`, 'worker']);

/** It fails at its deadline. */
const overdue = (draw: Draw) =>
  jobWith(draw, { activeDeadlineSeconds: 20 + draw.random(15) }, ['worker', 'worker']);

/** Pods beyond the replicas of a StatefulSet end on a missing Node, and their claims and volumes after them. */
function scaledDown({ name, random }: Draw): KubeObject[] {
  const labels = { app: name };
  const ordinals = [0, 1, 2].slice(0, 2 + random(2));
  const claimOf = (ordinal: number) => `data-db-${ordinal}`;
  const volumeOf = (ordinal: number) => `disk-${name}-${ordinal}`;
  const spec = {
    replicas: 1,
    serviceName: 'db',
    podManagementPolicy: 'Parallel',
    persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
    updateStrategy: { type: 'OnDelete' },
    revisionHistoryLimit: 10,
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
  };
  const mounting = (ordinal: number) => ({
    terminationGracePeriodSeconds: 30,
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claimOf(ordinal) } }],
  });
  return [
    ...inNamespace(name, [
      { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db', generation: 1 }, spec },
      ...ordinals.map((ordinal) =>
        pod(`db-${ordinal}`, ordinal === 0 ? 'worker' : `gone-${name}`, mounting(ordinal), {
          labels,
          ...ownedBy(name, 'apps/v1', 'StatefulSet', 'db'),
        }),
      ),
      ...ordinals.map((ordinal) => ({
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: claimOf(ordinal),
          finalizers: ['kubernetes.io/pvc-protection'],
          annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
        },
        spec: { ...claimSpec, volumeMode: 'Filesystem', volumeName: volumeOf(ordinal) },
        status: { phase: 'Bound' },
      })),
    ]),
    ...ordinals.map((ordinal) => boundVolume(name, volumeOf(ordinal), claimOf(ordinal))),
  ];
}

/** An IPAddress without a Service, and a signing request that is overdue, each with a dependent. */
function clusterWide({ name, random, now }: Draw): KubeObject[] {
  const number = Number(name.slice(1));
  const address = `10.200.${Math.floor(number / 250)}.${1 + (number % 250)}`;
  const parentRef = { group: '', resource: 'services', namespace: name, name: 'gone' };
  const labels = {
    'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    'ipaddress.kubernetes.io/ip-family': 'IPv4',
  };
  const creationTimestamp = timestampOf(now - random(50) * 1000);
  return [
    clusterScoped({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IPAddress',
      metadata: { name: address, labels, creationTimestamp },
      spec: { parentRef },
    }),
    clusterScoped({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: `csr-${name}`, creationTimestamp: timestampOf(now - 100_000_000) },
      spec: { request: '', signerName: 'example.com/signer', usages: ['client auth'] },
    }),
    ...inNamespace(name, [
      {
        kind: 'ConfigMap',
        metadata: {
          name: 'of-address',
          ...ownedBy('', 'networking.k8s.io/v1', 'IPAddress', address),
        },
      },
      {
        kind: 'ConfigMap',
        metadata: {
          name: 'of-request',
          ...ownedBy('', 'certificates.k8s.io/v1', 'CertificateSigningRequest', `csr-${name}`),
        },
      },
    ]),
  ];
}

const kinds = [missing, leaving, tainted, failing, overdue, scaledDown, clusterWide] as const;

/** What deletions follow from each other, in clusters of which each has a namespace; `leaving` are Nodes to delete. */
export function chainClusters(from: number, count: number, random: Random, now: number) {
  const names = Array.from({ length: count }, (_, at) => `c${from + at}`);
  const objects = names.flatMap((name, at) => {
    const kind = kinds[(from + at) % kinds.length] ?? missing;
    return [
      clusterScoped({
        kind: 'Namespace',
        metadata: { name },
        spec: { finalizers: ['kubernetes'] },
      }),
      ...kind({ name, random, now }),
    ];
  });
  const leavingNodes = objects.flatMap(({ kind, metadata }) =>
    kind === 'Node' && `${metadata.name}`.startsWith('leaves-') ? [`${metadata.name}`] : [],
  );
  return { names, objects: [nodeOf('worker'), ...objects], leavingNodes };
}
