import type { KubeObject } from '../../../src/kube/record-codec.ts';
import {
  affinity,
  ago,
  claim,
  claimed,
  clusterWide,
  containers,
  cronJob,
  csi,
  csr,
  day,
  hour,
  namespace,
  node,
  object,
  pod,
  podSpec,
  selecting,
  token,
  volume,
} from './stored-workloads.ts';

export const threshold = 3;

/** One fault or more for each rule about what collectors leave or take; stored as they are. */
export const objects: readonly KubeObject[] = [
  object(
    `v1 Namespace ${namespace}`,
    { ...clusterWide, uid: 'uid-of-namespace' },
    {
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    },
  ),
  selecting(
    'apps/v1 ReplicaSet web-6c4',
    { app: 'web', 'pod-template-hash': '6c4' },
    { replicas: 0 },
  ),
  object(
    'discovery.k8s.io/v1 EndpointSlice cart-x7k2p',
    {
      labels: {
        'kubernetes.io/service-name': 'cart',
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
    },
    { addressType: 'IPv4', endpoints: [], ports: [] },
  ),
  claim('data-db-0', { app: 'db' }, { volumeName: 'of-db' }),
  volume(
    'of-db',
    csi('1'),
    { ...claimed('data-db-0'), persistentVolumeReclaimPolicy: 'Retain' },
    { phase: 'Bound' },
  ),
  cronJob('forgetful', 0, 0),
  cronJob('hoarding', 400, 100),
  ...[5, 4, 3, 2, 1].map((age) => pod(`ended-${age}`, { nodeName: 'up' }, 'Succeeded', age * hour)),
  pod('homeless', { nodeName: 'gone' }, 'Running'),
  node('up', {}, 'True'),
  node(
    'back-again',
    { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoSchedule' }] },
    'True',
  ),
  node('silent', { providerID: 'example:///silent' }, 'Unknown'),
  volume(
    'kept',
    csi('2'),
    { ...claimed('kept'), persistentVolumeReclaimPolicy: 'Retain' },
    { phase: 'Released', lastPhaseTransitionTime: ago(3 * day) },
  ),
  volume(
    'waiting',
    csi('3'),
    { ...claimed('waiting'), persistentVolumeReclaimPolicy: 'Delete' },
    { phase: 'Released', lastPhaseTransitionTime: ago(3 * hour) },
  ),
  object('storage.k8s.io/v1 CSIDriver disks.example.com', clusterWide, { spec: {} }),
  volume(
    'unclaimed',
    { nfs: { server: '192.0.2.7', path: '/x' } },
    { persistentVolumeReclaimPolicy: 'Delete' },
    { phase: 'Available' },
  ),
  volume(
    'lost',
    { local: { path: '/mnt/x' }, ...affinity },
    { ...claimed('lost'), persistentVolumeReclaimPolicy: 'Delete' },
    { phase: 'Bound' },
  ),
  csr('reviewed', 'UnderReview', 3 * day),
  csr('denied', 'Denied', 5 * hour),
  object(
    'coordination.k8s.io/v1 Lease gone',
    { namespace: 'kube-node-lease' },
    { spec: { holderIdentity: 'gone', leaseDurationSeconds: 40 } },
  ),
  object(
    'v1 ConfigMap kube-apiserver-legacy-service-account-token-tracking',
    { namespace: 'kube-system', creationTimestamp: ago(1100 * day) },
    { data: { since: ago(1100 * day).slice(0, 10) } },
  ),
  object(
    'v1 ServiceAccount deployer',
    { uid: 'uid-of-deployer' },
    {
      secrets: [{ name: 'unused' }, { name: 'marked' }],
    },
  ),
  token('unused', 'deployer'),
  token('marked', 'deployer', {
    'kubernetes.io/legacy-token-invalid-since': ago(500 * day).slice(0, 10),
  }),
  token('by-hand', 'deployer'),
  selecting('apps/v1 Deployment shop', { app: 'shop' }, { replicas: 0 }),
  selecting('apps/v1 Deployment shop-next', { app: 'shop' }, { replicas: 0 }),
  selecting(
    'apps/v1 StatefulSet ledger',
    { app: 'ledger' },
    {
      replicas: 1,
      serviceName: 'ledger',
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            storageClassName: 'none',
          },
        },
      ],
    },
  ),
  claim('data-ledger-0', { app: 'ledger' }),
  claim('data-ledger-3', { app: 'ledger' }),
  // Where a cluster tells how its controllers were started.
  object(
    'v1 Pod kube-controller-manager-up',
    { namespace: 'kube-system', labels: { component: 'kube-controller-manager' } },
    {
      spec: {
        ...podSpec,
        nodeName: 'up',
        containers: [
          {
            ...containers[0],
            name: 'kube-controller-manager',
            image: 'registry.k8s.io/kube-controller-manager:v1.36.3',
            command: ['kube-controller-manager', `--terminated-pod-gc-threshold=${threshold}`],
          },
        ],
      },
      status: { phase: 'Running' },
    },
  ),
];

export interface ExpectedFinding {
  readonly rule: string;
  /** `Kind name`. */
  readonly object: string;
  /** What the real controllers do with the object; nothing by default. */
  readonly end?: 'deleted' | 'changed';
}

export const expected: readonly ExpectedFinding[] = [
  { rule: 'orphaned-replicaset', object: 'ReplicaSet web-6c4' },
  { rule: 'orphaned-endpointslice', object: 'EndpointSlice cart-x7k2p' },
  { rule: 'orphaned-claim', object: 'PersistentVolumeClaim data-db-0' },
  { rule: 'cronjob-history-limit', object: 'CronJob forgetful' },
  { rule: 'cronjob-history-limit', object: 'CronJob hoarding' },
  { rule: 'ended-pods-threshold', object: `Namespace ${namespace}` },
  { rule: 'pod-on-missing-node', object: 'Pod homeless', end: 'deleted' },
  { rule: 'out-of-service-node', object: 'Node back-again' },
  { rule: 'released-volume', object: 'PersistentVolume kept' },
  { rule: 'released-volume', object: 'PersistentVolume waiting' },
  { rule: 'undeletable-volume', object: 'PersistentVolume unclaimed' },
  { rule: 'undeletable-volume', object: 'PersistentVolume lost', end: 'changed' },
  { rule: 'overdue-csr', object: 'CertificateSigningRequest reviewed' },
  { rule: 'overdue-csr', object: 'CertificateSigningRequest denied', end: 'deleted' },
  { rule: 'orphaned-node-lease', object: 'Lease gone' },
  { rule: 'node-gone-in-cloud', object: 'Node silent' },
  { rule: 'unused-legacy-token', object: 'Secret unused', end: 'changed' },
  { rule: 'unused-legacy-token', object: 'Secret marked', end: 'deleted' },
  { rule: 'unused-legacy-token', object: 'Secret by-hand' },
  { rule: 'shared-selector', object: 'Deployment shop' },
  { rule: 'shared-selector', object: 'Deployment shop-next' },
  {
    rule: 'claim-retention-mismatch',
    object: 'PersistentVolumeClaim data-ledger-0',
    end: 'changed',
  },
  { rule: 'claim-retention-mismatch', object: 'PersistentVolumeClaim data-ledger-3' },
];
