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
    clusterScoped({
      kind: 'PersistentVolume',
      metadata: { name: volume, finalizers: ['kubernetes.io/pv-protection'] },
      spec: volumeSpec('kubectl-gc-no-such-directory', {
        persistentVolumeReclaimPolicy: 'Delete',
        volumeMode: 'Filesystem',
        claimRef: {
          ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: name, name: 'data' },
          uid: uidOf(name, 'PersistentVolumeClaim', 'data'),
        },
      }),
      status: { phase: 'Bound' },
    }),
  ];
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

/** A Job fails by a pod that is lost, or by its deadline; its time to live deletes it and what it owns. */
function failing({ name, random, now }: Draw): KubeObject[] {
  const job = { apiVersion: 'batch/v1', kind: 'Job' };
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
      },
      status: { active: 2, ready: 0, startTime, uncountedTerminatedPods: {} },
    },
    {
      kind: 'ConfigMap',
      metadata: { name: 'made', ...ownedBy(name, 'batch/v1', 'Job', 'import') },
    },
    ...['a', 'b'].map((one, at) =>
      pod(
        `import-${one}`,
        at === 0 ? `gone-${name}` : 'worker',
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

const kinds = [missing, leaving, tainted, failing] as const;

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
