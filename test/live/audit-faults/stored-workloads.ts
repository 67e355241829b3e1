import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { timestampOf } from '../../../src/kube/time.ts';

export const namespace = 'left-over';
export const hour = 3_600_000;
export const day = 24 * hour;
export const ago = (milliseconds: number) => timestampOf(Date.now() - milliseconds);
export const containers = [
  { name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' },
];
export const podSpec = { containers, restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' };

/** Each `apiVersion Kind name`; in the namespace unless `metadata` says otherwise. */
export function object(what: string, metadata: object, rest: object = {}): KubeObject {
  const [apiVersion = '', kind = '', name = ''] = what.split(' ');
  return { apiVersion, kind, metadata: { name, namespace, ...metadata }, ...rest } as KubeObject;
}

export const clusterWide = { namespace: undefined };

export function volume(name: string, source: object, rest: object, status: object): KubeObject {
  const spec = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    volumeMode: 'Filesystem',
    ...source,
    ...rest,
  };
  return object(`v1 PersistentVolume ${name}`, clusterWide, { spec, status });
}

export const claimed = (name: string) => ({
  claimRef: { kind: 'PersistentVolumeClaim', namespace, name, uid: `uid-of-${name}` },
});
export const claim = (name: string, labels: object, rest: object = {}) =>
  object(
    `v1 PersistentVolumeClaim ${name}`,
    { uid: `uid-of-${name}`, labels },
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: 'none',
        ...rest,
      },
      status: { phase: 'volumeName' in rest ? 'Bound' : 'Pending' },
    },
  );
export const affinity = {
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['up'] }] },
      ],
    },
  },
};
export const csi = (handle: string) => ({
  csi: { driver: 'disks.example.com', volumeHandle: handle },
});
export const node = (name: string, spec: object, status: string) =>
  object(`v1 Node ${name}`, clusterWide, {
    spec,
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime: ago(2 * hour) }] },
  });
export const pod = (name: string, spec: object, phase: string, age = hour) =>
  object(
    `v1 Pod ${name}`,
    { creationTimestamp: ago(age) },
    { spec: { ...podSpec, ...spec }, status: { phase } },
  );
export const csr = (name: string, type: string, age: number) =>
  object(
    `certificates.k8s.io/v1 CertificateSigningRequest ${name}`,
    { ...clusterWide, creationTimestamp: ago(age) },
    {
      spec: { request: 'eA==', signerName: 'example.com/s', usages: ['client auth'] },
      status: { conditions: [{ type, status: 'True', reason: 'r', lastUpdateTime: ago(age) }] },
    },
  );
export const token = (name: string, account: string, labels: object = {}) =>
  object(
    `v1 Secret ${name}`,
    {
      creationTimestamp: ago(1200 * day),
      labels,
      annotations: {
        'kubernetes.io/service-account.name': account,
        'kubernetes.io/service-account.uid': `uid-of-${account}`,
      },
    },
    { type: 'kubernetes.io/service-account-token', data: { token: 'eA==' } },
  );
export const selecting = (
  what: string,
  labels: Record<string, string>,
  spec: object,
  own: object = labels,
) =>
  object(
    what,
    { labels: own },
    {
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: podSpec },
        ...spec,
      },
    },
  );
export const cronJob = (
  name: string,
  successfulJobsHistoryLimit: number,
  failedJobsHistoryLimit: number,
) =>
  object(
    `batch/v1 CronJob ${name}`,
    {},
    {
      spec: {
        schedule: '0 3 * * *',
        suspend: true,
        concurrencyPolicy: 'Allow',
        successfulJobsHistoryLimit,
        failedJobsHistoryLimit,
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
      },
    },
  );
