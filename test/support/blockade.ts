import type { KubeObject } from '../../src/kube/record-codec.ts';

/** One way to be stuck, built in a namespace of its own, and what `why` has to say about it. */
export interface Blockade {
  readonly name: string;
  /** All are put into etcd as they are, past the API server. */
  readonly objects: readonly KubeObject[];
  readonly ask: string;
  /** Unset: stuck. */
  readonly state?: string;
  /** `Kind/name cause` of each real blocker. */
  readonly blockers: readonly string[];
  /** The one step as it is sent, as `stepOf` writes it; unset: none may be offered. */
  readonly fix?: string;
  /** After the step: the state, and the blockers that are left; unset: it is absent. */
  readonly afterwards?: readonly [state: string, ...blockers: string[]];
}

export type Extra = Record<string, unknown>;
const past = '2026-01-01T00:00:00Z';
export const gone = { deletionTimestamp: past };

export function made(
  apiVersion: string,
  kind: string,
  space: string,
  name: string,
  metadata: Extra,
  rest: Extra = {},
) {
  const uid = `${kind}-${space}-${name}`.toLowerCase();
  const namespace = space === '' ? {} : { namespace: space };
  return { apiVersion, kind, metadata: { name, uid, ...namespace, ...metadata }, ...rest };
}

export const configMap = (space: string, name: string, metadata: Extra = {}) =>
  made('v1', 'ConfigMap', space, name, metadata);
export const namespace = (
  name: string,
  metadata: Extra = {},
  finalizers: string[] = ['kubernetes'],
) =>
  made('v1', 'Namespace', '', name, metadata, {
    spec: { finalizers },
    status: { phase: metadata.deletionTimestamp ? 'Terminating' : 'Active' },
  });
export const pod = (
  space: string,
  name: string,
  node: string,
  metadata: Extra = {},
  spec: Extra = {},
) =>
  made('v1', 'Pod', space, name, metadata, {
    spec: {
      nodeName: node,
      containers: [{ name: 'main', image: 'registry.test/main:1' }],
      ...spec,
    },
    status: { phase: 'Running' },
  });
export const node = (name: string, ready: string) =>
  made(
    'v1',
    'Node',
    '',
    name,
    {},
    {
      status: {
        conditions: [
          {
            type: 'Ready',
            status: ready,
            reason: ready === 'True' ? 'KubeletReady' : 'NodeStatusUnknown',
            message: 'told by the test',
            lastTransitionTime: past,
          },
        ],
      },
    },
  );
export const claim = (space: string, name: string, metadata: Extra = {}) =>
  made('v1', 'PersistentVolumeClaim', space, name, metadata, {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    status: { phase: 'Bound' },
  });
export const volume = (name: string, phase: string, space: string, bound: string) =>
  made(
    'v1',
    'PersistentVolume',
    '',
    name,
    { ...gone, finalizers: ['kubernetes.io/pv-protection'] },
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/tmp/x' },
        claimRef: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: space,
          name: bound,
          uid: `persistentvolumeclaim-${space}-${bound}`,
        },
      },
      status: { phase },
    },
  );
export const deployment = (space: string, name: string, ready: number, metadata: Extra = {}) =>
  made('apps/v1', 'Deployment', space, name, metadata, {
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'registry.test/main:1' }] },
      },
    },
    status: { replicas: 1, readyReplicas: ready },
  });

export const on = (owner: KubeObject, block = true) => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: String(owner.metadata.name),
  uid: String(owner.metadata.uid),
  blockOwnerDeletion: block,
});
export const foreground = { ...gone, finalizers: ['foregroundDeletion'] };
export const setBy = (manager: string, finalizer: string) => ({
  ...gone,
  finalizers: [finalizer],
  managedFields: [
    {
      manager,
      operation: 'Update',
      apiVersion: 'v1',
      time: past,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {}, [`v:"${finalizer}"`]: {} } } },
    },
  ],
});
export const usesData = {
  volumes: [{ name: 'vol', persistentVolumeClaim: { claimName: 'data' } }],
};
export const onOldNode = { ...gone, deletionGracePeriodSeconds: 30 };
