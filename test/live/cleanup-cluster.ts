import type { KubeObject } from '../../src/kube/record-codec.ts';
import { timeOf } from '../../src/kube/timestamp.ts';
import { type Choose, chooser } from '../differential/choose.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The same numbers every time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const namespaces = ['clean-a', 'clean-b'];

/** A cluster with something for every collector to do and to leave, around `now` in epoch milliseconds. */
export function cleanupCluster(seed: number, now: number): KubeObject[] {
  const choose = chooser(randomFrom(seed));
  const ago = (milliseconds: number) => timeOf(now - milliseconds);
  return [
    ...namespaces.map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: { finalizers: ['kubernetes'] },
    })),
    ...nodesAndPods(choose, ago),
    ...jobs(choose, ago),
    ...requests(choose, ago),
    ...leases(ago),
    ...deployments(ago),
    ...secrets(now),
    ...volumes(),
    ...endpoints(),
  ] as unknown as KubeObject[];
}

type Ago = (milliseconds: number) => string;

const container = { name: 'c', image: 'i' };

function nodesAndPods(choose: Choose, ago: Ago) {
  const nodes = Array.from({ length: 5 }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `node-${index}` },
    spec: {
      taints: choose.chance(0.5)
        ? [
            {
              key: 'node.kubernetes.io/out-of-service',
              effect: choose.one(['NoExecute', 'NoSchedule']),
            },
          ]
        : [],
    },
    status: {
      conditions: choose.chance(0.8)
        ? [{ type: 'Ready', status: choose.one(['True', 'False', 'Unknown']) }]
        : [],
    },
  }));
  const pods = Array.from({ length: 60 }, (_, index) => {
    const deleting = choose.chance(0.35);
    const phase = choose.one(['Pending', 'Running', 'Succeeded', 'Failed', 'Failed', 'Unknown']);
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `pod-${index}`,
        namespace: choose.one(namespaces),
        creationTimestamp: ago(choose.between(1, 40) * hour),
        ...(choose.chance(0.3) && { finalizers: ['example.com/hold'] }),
        ...(deleting && {
          deletionTimestamp: ago(choose.between(-10, 60) * second),
          deletionGracePeriodSeconds: 30,
        }),
      },
      spec: {
        containers: [container],
        ...(choose.chance(0.8) && {
          nodeName: choose.one([
            'node-0',
            'node-1',
            'node-2',
            'node-3',
            'node-4',
            'gone-0',
            'gone-1',
          ]),
        }),
      },
      status: { phase, ...(phase === 'Failed' && choose.chance(0.4) && { reason: 'Evicted' }) },
    };
  });
  // Held back and young: they count from the second pass on, so that others go (PG-8).
  const held = Array.from({ length: 4 }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-held-${index}`,
      namespace: 'clean-a',
      creationTimestamp: ago(minute),
      finalizers: ['example.com/hold'],
      deletionTimestamp: ago(second),
      deletionGracePeriodSeconds: 0,
    },
    spec: { containers: [container] },
    status: { phase: 'Pending' },
  }));
  return [...nodes, ...pods, ...held];
}

const template = { spec: { containers: [container], restartPolicy: 'Never' } };

function jobs(choose: Choose, ago: Ago) {
  const cronJobs = Array.from({ length: 6 }, (_, index) => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: `cron-${index}`, namespace: 'clean-a', uid: `cron-uid-${index}` },
    spec: {
      schedule: '0 0 1 1 *',
      suspend: choose.chance(0.5),
      concurrencyPolicy: 'Allow',
      successfulJobsHistoryLimit: choose.between(0, 3),
      failedJobsHistoryLimit: choose.between(0, 2),
      jobTemplate: { spec: { template } },
    },
  }));
  const all = Array.from({ length: 50 }, (_, index) => {
    const type = choose.one(['Complete', 'Failed', 'Suspended', 'Complete']);
    const owner = choose.chance(0.6) ? choose.one(cronJobs) : undefined;
    return {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: `job-${index}`,
        namespace: owner ? 'clean-a' : choose.one(namespaces),
        creationTimestamp: ago(50 * hour),
        ...(owner && {
          ownerReferences: [
            {
              apiVersion: 'batch/v1',
              kind: 'CronJob',
              name: owner.metadata.name,
              uid: owner.metadata.uid,
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        }),
      },
      spec: {
        manualSelector: true,
        selector: { matchLabels: { job: `${index}` } },
        template: { metadata: { labels: { job: `${index}` } }, ...template },
        // Long past, soon, or not in this test.
        ...(!owner &&
          choose.chance(0.8) && {
            ttlSecondsAfterFinished: choose.one([0, 60, 3600 + 40, 3600 + 55, 3 * 3600]),
          }),
      },
      status: {
        ...(choose.chance(0.9) && { startTime: ago(choose.between(61, 40 * 60) * minute) }),
        conditions: [
          {
            type,
            status: choose.chance(0.9) ? 'True' : 'False',
            lastTransitionTime: ago(hour),
          },
        ],
      },
    };
  });
  return [...cronJobs, ...all];
}

function requests(choose: Choose, ago: Ago) {
  return Array.from({ length: 40 }, (_, index) => ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: {
      name: `csr-${index}`,
      creationTimestamp: ago(choose.between(1, 50) * hour - 30 * minute),
    },
    spec: { request: 'eA==', signerName: 'example.com/s', usages: ['client auth'] },
    status: {
      ...(choose.chance(0.4) && { certificate: 'bm90IGEgY2VydGlmaWNhdGU=' }),
      conditions: Array.from({ length: choose.between(0, 2) }, () => ({
        type: choose.one(['Approved', 'Denied', 'Failed', 'Custom']),
        status: 'True',
        reason: 'r',
        // Half an hour from every limit.
        lastUpdateTime: ago(choose.between(1, 50) * hour - 30 * minute),
      })),
    },
  }));
}

function leases(ago: Ago) {
  const lease = (name: string, renewed: string, labels: Record<string, string>) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-system', labels },
    spec: { leaseDurationSeconds: 3600, renewTime: `${renewed.slice(0, -1)}.000000Z` },
  });
  const own = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
  return [
    lease('apiserver-old', ago(2 * hour), own),
    lease('apiserver-young', ago(30 * minute), own),
    lease('leader-old', ago(48 * hour), {}),
  ];
}

function deployments(ago: Ago) {
  const labels = { app: 'web' };
  const pod = { metadata: { labels }, spec: { containers: [container] } };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'clean-b',
      uid: 'deployment-uid',
      generation: 1,
      annotations: { 'deployment.kubernetes.io/revision': '6' },
    },
    spec: {
      replicas: 0,
      revisionHistoryLimit: 2,
      selector: { matchLabels: labels },
      strategy: { type: 'Recreate' },
      template: pod,
    },
    status: { observedGeneration: 1 },
  };
  const sets = [1, 2, 3, 4, 5, 6].map((revision) => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `web-${revision}`,
      namespace: 'clean-b',
      generation: 1,
      creationTimestamp: ago((10 - revision) * hour),
      labels: { ...labels, 'pod-template-hash': `${revision}` },
      annotations: { 'deployment.kubernetes.io/revision': `${revision}` },
      ...(revision === 2 && { finalizers: ['example.com/hold'] }),
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: 'web',
          uid: 'deployment-uid',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      replicas: 0,
      selector: { matchLabels: { ...labels, 'pod-template-hash': `${revision}` } },
      template: {
        metadata: { labels: { ...labels, 'pod-template-hash': `${revision}` } },
        spec: {
          containers: [{ ...container, image: revision === 6 ? 'i' : `i:${revision}` }],
        },
      },
    },
    status: { observedGeneration: revision === 3 ? 0 : 1 },
  }));
  return [deployment, ...sets];
}

function secrets(now: number) {
  const token = (name: string, expiration: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    data: { expiration: Buffer.from(expiration).toString('base64') },
  });
  const account = (name: string, annotations: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'clean-a', annotations },
    type: 'kubernetes.io/service-account-token',
  });
  return [
    token('bootstrap-token-past', timeOf(now - hour)),
    token('bootstrap-token-soon', timeOf(now + 45 * second)),
    token('bootstrap-token-later', timeOf(now + hour)),
    token('bootstrap-token-odd', 'tomorrow'),
    account('token-gone', { 'kubernetes.io/service-account.name': 'nobody' }),
  ];
}

function volumes() {
  const volume = (name: string, policy: string, source: Record<string, unknown>) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, finalizers: ['kubernetes.io/pv-protection'] },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: policy,
      claimRef: {
        kind: 'PersistentVolumeClaim',
        namespace: 'clean-a',
        name: 'gone',
        uid: 'gone-uid',
      },
      ...source,
    },
    status: { phase: 'Bound' },
  });
  return [
    volume('retained', 'Retain', { nfs: { server: 's', path: '/' } }),
    volume('undeletable', 'Delete', { nfs: { server: 's', path: '/' } }),
    volume('misplaced', 'Delete', { hostPath: { path: '/nowhere/kubectl-gc' } }),
    volume('external', 'Delete', { csi: { driver: 'disk.example.com', volumeHandle: 'x' } }),
    volume('deletable', 'Delete', { hostPath: { path: '/tmp/kubectl-gc-no-such-directory' } }),
  ];
}

function endpoints() {
  return [
    { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'forgotten', namespace: 'clean-a' } },
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: {
        name: 'elected',
        namespace: 'clean-a',
        annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' },
      },
    },
  ];
}
