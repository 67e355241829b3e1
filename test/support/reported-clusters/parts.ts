import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { type Extra, gone, made, on, pod } from '../blockade.ts';

/** A cluster, or a part of one, about which two commands once gave different answers, or one of them a wrong answer. */
export interface ReportedCluster {
  readonly name: string;
  readonly objects: readonly KubeObject[];
}

export const month = { creationTimestamp: '2026-01-01T00:00:00Z' };
/** Five seconds before the time of the clusters in files. */
export const recently = '2026-01-31T23:59:55Z';
export const held = (...finalizers: readonly string[]): Extra => ({ ...gone, finalizers });
export const labelled = (app: string): Extra => ({ labels: { app } });
export const controlledBy = (owner: KubeObject) => ({ ...on(owner), controller: true });
export const condition = (type: string, status: string, reason: string, message: string) => ({
  ...{ type, status, reason, message },
  lastTransitionTime: '2026-01-02T00:00:00Z',
});
export const nobody = (kind: string, name: string) => ({
  apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
  ...{ kind, name, uid: `nobody-${name}` },
});
export const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image: 'registry.test/main:1' }], restartPolicy: 'Never' },
});
export const selecting = (app: string) => ({
  selector: { matchLabels: { app } },
  template: template(app),
});
export const ended = (
  space: string,
  name: string,
  metadata: Extra,
  phase = 'Failed',
): KubeObject => ({
  ...pod(space, name, 'steady', metadata),
  status: { phase },
});
export const volumeOf = (
  bound: string,
  space: string,
  name: string,
  policy: string,
  phase: string,
) =>
  made('v1', 'PersistentVolume', '', name, month, {
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...{ capacity: { storage: '1Gi' }, persistentVolumeReclaimPolicy: policy },
      csi: { driver: 'disk.csi.example.com', volumeHandle: name },
      claimRef: {
        ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: space, name: bound },
        uid: `persistentvolumeclaim-${space}-${bound}`,
      },
    },
    status: { phase },
  });
export const webhook = (name: string, rule: Extra, operations: readonly string[], space: string) =>
  made('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', '', name, month, {
    webhooks: [
      {
        ...{ name: `${name}.example.com`, failurePolicy: 'Fail', sideEffects: 'None' },
        admissionReviewVersions: ['v1'],
        clientConfig: { service: { namespace: space, name: 'nowhere', path: '/' } },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': space } },
        rules: [{ apiVersions: ['*'], scope: '*', operations, ...rule }],
      },
    ],
  });
export const job = (
  space: string,
  name: string,
  spec: Extra,
  status: Extra = {},
  metadata: Extra = {},
) =>
  made(
    'batch/v1',
    'Job',
    space,
    name,
    { ...month, ...metadata },
    {
      spec: { ...selecting(name), ...spec },
      status,
    },
  );

export function statefulSet(space: string, replicas: number, more: Extra = {}): KubeObject {
  return made('apps/v1', 'StatefulSet', space, 'db', month, {
    spec: {
      ...{ replicas, serviceName: 'db', ...selecting('db') },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
      ...more,
    },
    status: { replicas },
  });
}
