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

const nothing = () => ({});

export const kinds: readonly GeneratedKind[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', namespaced: true, body: () => ({ data: { a: 'b' } }) },
  { apiVersion: 'v1', kind: 'Secret', namespaced: true, body: () => ({ type: 'Opaque' }) },
  { apiVersion: 'v1', kind: 'ServiceAccount', namespaced: true, body: nothing },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    namespaced: true,
    body: (_, phase) => ({
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        ...(phase !== undefined && { nodeName: 'nowhere', terminationGracePeriodSeconds: 5 }),
      },
      status: { phase: phase ?? 'Pending' },
    }),
  },
  {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    namespaced: true,
    body: () => ({ spec: { holderIdentity: 'x' } }),
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespaced: true,
    body: (name) => ({
      spec: { replicas: 0, selector: { matchLabels: { a: name } }, template: template(name) },
    }),
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    namespaced: true,
    body: (name) => ({
      spec: { replicas: 0, selector: { matchLabels: { a: name } }, template: template(name) },
    }),
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    namespaced: true,
    body: (name) => ({
      spec: {
        suspend: true,
        selector: { matchLabels: { a: name } },
        manualSelector: true,
        template: template(name, { restartPolicy: 'Never' }),
      },
    }),
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    namespaced: false,
    body: () => ({ rules: [] }),
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    namespaced: false,
    body: () => ({ value: 7 }),
  },
  {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    namespaced: true,
    body: () => ({ spec: { size: 1 } }),
  },
  {
    apiVersion: 'example.com/v1',
    kind: 'Gadget',
    namespaced: false,
    body: () => ({ spec: { size: 1 } }),
  },
];
