import { createHash } from 'node:crypto';
import type { KubeObject } from '../src/kube/record-codec.ts';

/** How many of each: about 97,000 objects in all when `scale` is 1. */
const namespaces = 400;
const deploymentsEach = 20;
const replicaSetsEach = 3;
const podsEach = 3;
const configMapsEach = 2;
/** One object in so many refers to an owner that is gone. */
const danglingEvery = 500;

/** The objects of a busy cluster, namespace by namespace; the same at every call. `scale` shrinks the number of namespaces. */
export function* busyCluster(scale = 1): Generator<KubeObject> {
  for (let n = 0; n < namespaces * scale; n++) yield* team(`team-${n}`, deploymentsEach);
}

/** A namespace and what is in it: 12 objects for each Deployment. */
export function* team(namespace: string, deployments: number): Generator<KubeObject> {
  yield {
    ...head('v1', 'Namespace', '', namespace, { 'kubernetes.io/metadata.name': namespace }),
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
  for (let d = 0; d < deployments; d++) yield* application(namespace, `app-${d}`);
}

/** The Node of all pods, which is well. */
export function readyNode(): KubeObject {
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }];
  return { ...head('v1', 'Node', '', 'node-1', {}), spec: {}, status: { conditions } };
}

/** Custom resources in the namespaces of the busy cluster. */
export function* jars(count: number): Generator<KubeObject> {
  for (let n = 0; n < count; n++)
    yield { ...head('bench.example.com/v1', 'Jar', `team-${n % namespaces}`, `jar-${n}`, {}) };
}

/** A namespace that is being deleted, and ConfigMaps in it that a finalizer holds. */
const stuckOn = 'bench.example.com/held';

export function* stuckNamespace(namespace: string, count: number): Generator<KubeObject> {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const home = head('v1', 'Namespace', '', namespace, {});
  yield {
    ...home,
    metadata: { ...home.metadata, deletionTimestamp },
    spec: { finalizers: ['kubernetes'] },
    // As the namespace controller says it.
    status: {
      phase: 'Terminating',
      conditions: [
        {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${stuckOn} in ${count} resource instances`,
          lastTransitionTime: deletionTimestamp,
        },
      ],
    },
  };
  for (let n = 0; n < count; n++) {
    const held = head('v1', 'ConfigMap', namespace, `held-${n}`, {});
    const finalizers = [stuckOn];
    yield { ...held, metadata: { ...held.metadata, deletionTimestamp, finalizers } };
  }
}

function* application(namespace: string, app: string): Generator<KubeObject> {
  const labels = { app, 'app.kubernetes.io/name': app, 'app.kubernetes.io/part-of': namespace };
  const selector = { matchLabels: { app } };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: app, image: 'registry/app:1' }] },
  };
  const deployment = head('apps/v1', 'Deployment', namespace, app, labels);
  yield {
    ...deployment,
    spec: { replicas: podsEach, selector, template },
    status: { replicas: podsEach },
  };
  for (let r = 0; r < replicaSetsEach; r++) {
    const name = `${app}-${hashOf(`${namespace}${app}${r}`).slice(0, 10)}`;
    const owned = { ...labels, 'pod-template-hash': name.slice(-10) };
    const replicaSet = head('apps/v1', 'ReplicaSet', namespace, name, owned, deployment);
    yield {
      ...replicaSet,
      spec: { replicas: r === 0 ? podsEach : 0, selector, template },
      status: { replicas: 0 },
    };
    if (r > 0) continue;
    for (let p = 0; p < podsEach; p++) {
      const pod = head('v1', 'Pod', namespace, `${name}-${p}`, owned, replicaSet);
      yield {
        ...pod,
        spec: { ...template.spec, nodeName: 'node-1' },
        status: { phase: 'Running' },
      };
    }
  }
  const service = head('v1', 'Service', namespace, app, labels);
  yield {
    ...service,
    spec: {
      clusterIP: 'None',
      clusterIPs: ['None'],
      selector: { app },
      ports: [{ port: 80 }],
      type: 'ClusterIP',
      sessionAffinity: 'None',
    },
  };
  const slice = head(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    namespace,
    `${app}-slice`,
    labels,
    service,
  );
  yield { ...slice, addressType: 'IPv4', endpoints: [], ports: [] };
  for (let c = 0; c < configMapsEach; c++) {
    yield {
      ...head('v1', 'ConfigMap', namespace, `${app}-config-${c}`, labels, deployment),
      data: { key: 'value' },
    };
  }
  yield {
    ...head('v1', 'Secret', namespace, `${app}-secret`, labels, deployment),
    type: 'Opaque',
    data: {},
  };
}

let counted = 0;

function head(
  apiVersion: string,
  kind: string,
  namespace: string,
  name: string,
  labels: Record<string, string>,
  owner?: KubeObject,
): KubeObject {
  const lost = owner !== undefined && ++counted % danglingEvery === 0;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== '' && { namespace }),
      uid: uidOf(`${kind}/${namespace}/${name}`),
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels,
      annotations: annotations(name),
      ...(owner && {
        ownerReferences: [
          {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            name: owner.metadata.name,
            uid: lost ? uidOf(`lost/${namespace}/${name}`) : owner.metadata.uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      }),
      managedFields: managedFields(apiVersion, Object.keys(labels)),
    },
  };
}

/** Two writers, as controllers and the kubelet leave them: one of the spec, one of the status; about 1.6 KB. */
function managedFields(apiVersion: string, labels: readonly string[]): unknown[] {
  const own = { 'f:labels': Object.fromEntries(labels.map((label) => [`f:${label}`, {}])) };
  const nested = (prefix: string) =>
    Object.fromEntries(
      Array.from({ length: 14 }, (_, i) => [`f:${prefix}Field${i}`, { '.': {}, 'f:value': {} }]),
    );
  const entry = (manager: string, subresource: string, fieldsV1: unknown) => ({
    manager,
    operation: 'Update',
    apiVersion,
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource !== '' && { subresource }),
  });
  return [
    entry('kube-controller-manager', '', { 'f:metadata': own, 'f:spec': nested('spec') }),
    entry('kubelet', 'status', { 'f:status': nested('status') }),
  ];
}

/** What deployment tools and controllers note on their objects. */
function annotations(name: string): Record<string, string> {
  return {
    'deployment.kubernetes.io/revision': '3',
    'checksum/config': hashOf(name),
    'kubectl.kubernetes.io/last-applied-configuration': `{"metadata":{"name":"${name}"},"spec":"${'x'.repeat(400)}"}`,
  };
}

function uidOf(text: string): string {
  const hex = hashOf(text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
