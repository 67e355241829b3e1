import type { KubeObject } from '../../src/kube/record-codec.ts';
import { timestampOf } from '../../src/kube/time.ts';

const container = { name: 'c', image: 'i' };
const owner = (apiVersion: string, kind: string, name: string, more: object = {}) => ({
  ownerReferences: [{ apiVersion, kind, name, uid: uidOf(kind, name), ...more }],
});
const controller = { controller: true, blockOwnerDeletion: true };

function uidOf(kind: string, name: string): string {
  return `uid-of-${kind.toLowerCase()}-${name}`;
}

function object(
  apiVersion: string,
  kind: string,
  name: string,
  namespace: string | undefined,
  {
    metadata = {},
    ...rest
  }: { readonly metadata?: object; readonly [field: string]: unknown } = {},
): KubeObject {
  const uid = uidOf(kind, name);
  return {
    apiVersion,
    kind,
    ...rest,
    metadata: { name, uid, ...(namespace && { namespace }), ...metadata },
  };
}

export const namespaces = 'volumes accounts services sets nodes devices'.split(' ');
export const nodes = ['worker', 'tainted', 'leaving', 'down'];

/** A cluster in which collectors follow each other, at `now` in epoch milliseconds. */
export function interactingCluster(now: number): KubeObject[] {
  return [
    ...namespaces.map((name) =>
      object('v1', 'Namespace', name, undefined, { spec: { finalizers: ['kubernetes'] } }),
    ),
    ...volumes(),
    ...accounts(now),
    ...services(),
    ...workloads(now),
    ...nodesAndPods(now),
    ...devices(),
  ];
}

function pod(name: string, namespace: string, spec: object, metadata: object = {}): KubeObject {
  return object('v1', 'Pod', name, namespace, {
    metadata,
    spec: { containers: [container], terminationGracePeriodSeconds: 3600, ...spec },
    status: { phase: 'Running' },
  });
}

/** A claim and its volume, bound to each other. */
function bound(name: string, policy: string, source: object, more: object = {}): KubeObject[] {
  const size = { accessModes: ['ReadWriteOnce'] };
  const claim = object('v1', 'PersistentVolumeClaim', name, 'volumes', {
    metadata: {
      finalizers: ['kubernetes.io/pvc-protection'],
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
      ...more,
    },
    spec: {
      ...size,
      resources: { requests: { storage: '1Gi' } },
      storageClassName: '',
      volumeName: `of-${name}`,
      volumeMode: 'Filesystem',
    },
    status: { phase: 'Bound', ...size, capacity: { storage: '1Gi' } },
  });
  const volume = object('v1', 'PersistentVolume', `of-${name}`, undefined, {
    metadata: { finalizers: ['kubernetes.io/pv-protection'] },
    spec: {
      ...size,
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: policy,
      volumeMode: 'Filesystem',
      claimRef: {
        ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'volumes', name },
        uid: uidOf('PersistentVolumeClaim', name),
      },
      ...source,
    },
    status: { phase: 'Bound' },
  });
  return [claim, volume];
}

function volumes(): KubeObject[] {
  const nfs = { nfs: { server: 's', path: '/' } };
  const uses = (claimName: string) => ({
    nodeName: 'worker',
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
  });
  return [
    ...bound('used', 'Delete', { hostPath: { path: '/tmp/kubectl-gc-no-such-directory' } }),
    pod('user', 'volumes', uses('used')),
    ...bound('held', 'Retain', nfs),
    pod('holder', 'volumes', uses('held')),
    ...bound('kept', 'Retain', nfs),
    ...bound('failing', 'Delete', nfs),
    ...bound('first', 'Retain', nfs),
    ...bound('made', 'Retain', nfs, owner('v1', 'Pod', 'maker', controller)),
    pod('maker', 'volumes', {
      nodeName: 'leaving',
      volumes: [{ name: 'x', persistentVolumeClaim: { claimName: 'made' } }],
    }),
  ];
}

function accounts(now: number): KubeObject[] {
  const expiration = Buffer.from(timestampOf(now + 60_000)).toString('base64');
  return [
    object('v1', 'ServiceAccount', 'robot', 'accounts'),
    object('v1', 'Secret', 'robot-token', 'accounts', {
      metadata: {
        annotations: {
          'kubernetes.io/service-account.name': 'robot',
          'kubernetes.io/service-account.uid': uidOf('ServiceAccount', 'robot'),
        },
      },
      type: 'kubernetes.io/service-account-token',
    }),
    object('v1', 'Secret', 'bootstrap-token-abcdef', 'kube-system', {
      type: 'bootstrap.kubernetes.io/token',
      data: { expiration },
    }),
  ];
}

function services(): KubeObject[] {
  const ports = [{ port: 80, protocol: 'TCP', targetPort: 80 }];
  const spec = { ports, type: 'ClusterIP', clusterIP: 'None', clusterIPs: ['None'] };
  const families = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', sessionAffinity: 'None' };
  return [
    object('v1', 'Service', 'web', 'services', {
      spec: { ...spec, ...families, selector: { app: 'web' } },
    }),
    object('v1', 'Service', 'bare', 'services', { spec: { ...spec, ...families } }),
    object('v1', 'Endpoints', 'bare', 'services', {
      subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80, protocol: 'TCP' }] }],
    }),
  ];
}

function workloads(now: number): KubeObject[] {
  const template = { metadata: { labels: { app: 'db' } }, spec: { containers: [container] } };
  const statefulSet = (name: string, whenDeleted: string, whenScaled = 'Retain', replicas = 1) =>
    object('apps/v1', 'StatefulSet', name, 'sets', {
      metadata: { generation: 1 },
      spec: {
        replicas,
        revisionHistoryLimit: 10,
        serviceName: '',
        podManagementPolicy: 'Parallel',
        updateStrategy: { type: 'RollingUpdate' },
        selector: { matchLabels: { app: name } },
        template: { ...template, metadata: { labels: { app: name } } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
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
    });
  const labels = { app: 'web' };
  const sets = [1, 2, 3, 4].map((revision) => {
    const hashed = { ...labels, 'pod-template-hash': `${revision}` };
    const image = revision === 4 ? 'i' : `i:${revision}`;
    return object('apps/v1', 'ReplicaSet', `web-${revision}`, 'sets', {
      metadata: {
        generation: 1,
        creationTimestamp: timestampOf(now - (10 - revision) * 60_000),
        labels: hashed,
        annotations: { 'deployment.kubernetes.io/revision': `${revision}` },
        ...owner('apps/v1', 'Deployment', 'web', controller),
      },
      spec: {
        replicas: 0,
        selector: { matchLabels: hashed },
        template: { metadata: { labels: hashed }, spec: { containers: [{ ...container, image }] } },
      },
      status: { observedGeneration: 1 },
    });
  });
  const revisions = [1, 2].map((revision) =>
    object('apps/v1', 'ControllerRevision', `eager-${revision}`, 'sets', {
      metadata: {
        labels: { app: 'eager', 'controller-revision-hash': `eager-${revision}` },
        ...owner('apps/v1', 'StatefulSet', 'eager', controller),
      },
      data: { spec: { template: { [`r${revision}`]: 'old' } } },
      revision,
    }),
  );
  return [
    statefulSet('eager', 'Delete'),
    statefulSet('late', 'Retain'),
    statefulSet('shrinking', 'Retain', 'Delete', 3),
    ...revisions,
    object('apps/v1', 'Deployment', 'web', 'sets', {
      metadata: { generation: 1, annotations: { 'deployment.kubernetes.io/revision': '4' } },
      spec: {
        replicas: 0,
        revisionHistoryLimit: 10,
        selector: { matchLabels: labels },
        strategy: { type: 'Recreate' },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
      status: { observedGeneration: 1 },
    }),
    ...sets,
  ];
}

function nodesAndPods(now: number): KubeObject[] {
  const ready = {
    type: 'Ready',
    status: 'True',
    lastHeartbeatTime: timestampOf(now),
    lastTransitionTime: timestampOf(now),
  };
  const tolerates = (tolerationSeconds?: number) => ({
    tolerations: [{ operator: 'Exists', ...(tolerationSeconds && { tolerationSeconds }) }],
  });
  const lease = (name: string, metadata: object) =>
    object('coordination.k8s.io/v1', 'Lease', name, 'kube-node-lease', {
      metadata,
      spec: { holderIdentity: name, leaseDurationSeconds: 40 },
    });
  return [
    ...nodes
      .filter((name) => name !== 'down')
      .map((name) => object('v1', 'Node', name, undefined, { status: { conditions: [ready] } })),
    object('v1', 'Namespace', 'kube-node-lease', undefined, {
      spec: { finalizers: ['kubernetes'] },
    }),
    ...nodes.map((name) => lease(name, name === 'leaving' ? owner('v1', 'Node', 'leaving') : {})),
    object('storage.k8s.io/v1', 'CSINode', 'leaving', undefined, {
      metadata: owner('v1', 'Node', 'leaving'),
      spec: { drivers: [] },
    }),
    pod('at-once', 'nodes', { nodeName: 'tainted' }),
    pod('in-time', 'nodes', { nodeName: 'tainted', ...tolerates(8) }),
    pod('never', 'nodes', { nodeName: 'tainted', ...tolerates() }),
    pod('on-leaving', 'nodes', { nodeName: 'leaving', ...tolerates() }),
    pod('on-down', 'nodes', { nodeName: 'down', ...tolerates(10) }),
  ];
}

function devices(): KubeObject[] {
  const claim = (name: string, user: string, metadata: object) =>
    object('resource.k8s.io/v1', 'ResourceClaim', name, 'devices', {
      metadata,
      spec: {
        devices: {
          requests: [
            {
              name: 'gpu',
              exactly: { deviceClassName: 'gpu', count: 1, allocationMode: 'ExactCount' },
            },
          ],
        },
      },
      status: {
        allocation: {},
        reservedFor: [{ resource: 'pods', name: user, uid: uidOf('Pod', user) }],
      },
    });
  return [
    pod('trainer', 'devices', {
      nodeName: 'worker',
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared-gpu' }],
    }),
    claim('shared-gpu', 'trainer', { finalizers: ['resource.kubernetes.io/delete-protection'] }),
  ];
}
