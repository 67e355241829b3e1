import { servedTypes } from '../support/builders.ts';

/** A kind whose objects can be stored past the API server and updated through it. */
export interface GeneratedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Everything but metadata; `phase` is set for pods that are bound to a node. */
  readonly body: (name: string, phase?: string) => Readonly<Record<string, unknown>>;
}

const template = (name: string, more: object = {}) => ({
  metadata: { labels: { a: name } },
  spec: { containers: [{ name: 'c', image: 'i' }], ...more },
});

const workload = (name: string) => ({
  spec: { replicas: 0, selector: { matchLabels: { a: name } }, template: template(name) },
});

const bodies: Readonly<Record<string, GeneratedKind['body']>> = {
  'v1 ConfigMap': () => ({ data: { a: 'b' } }),
  'v1 Secret': () => ({ type: 'Opaque' }),
  'v1 ServiceAccount': () => ({}),
  'v1 Pod': (_, phase) => ({
    spec: {
      containers: [{ name: 'c', image: 'i' }],
      ...(phase !== undefined && { nodeName: 'nowhere', terminationGracePeriodSeconds: 5 }),
    },
    status: { phase: phase ?? 'Pending' },
  }),
  'coordination.k8s.io/v1 Lease': () => ({ spec: { holderIdentity: 'x' } }),
  'apps/v1 Deployment': workload,
  'apps/v1 ReplicaSet': workload,
  'batch/v1 Job': (name) => ({
    spec: {
      suspend: true,
      selector: { matchLabels: { a: name } },
      manualSelector: true,
      template: template(name, { restartPolicy: 'Never' }),
    },
  }),
  'rbac.authorization.k8s.io/v1 ClusterRole': () => ({ rules: [] }),
  'scheduling.k8s.io/v1 PriorityClass': () => ({ value: 7 }),
  'example.com/v1 Widget': () => ({ spec: { size: 1 } }),
  'example.com/v1 Gadget': () => ({ spec: { size: 1 } }),
};

export const kinds: readonly GeneratedKind[] = Object.entries(bodies).map(([text, body]) => {
  const [apiVersion = '', kind = ''] = text.split(' ');
  const namespaced = servedTypes.find(apiVersion, kind)?.namespaced === true;
  return { apiVersion, kind, namespaced, body };
});
