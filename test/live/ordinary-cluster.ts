import type { KubeObject } from '../../src/kube/record-codec.ts';

export const nodeNames = ['worker-1', 'worker-2', 'worker-3'];
export const namespaces = Array.from({ length: 18 }, (_, index) => `team-${index + 1}`);

const container = { name: 'main', image: 'registry.example.com/app:1' };
const resources = { requests: { storage: '1Gi' } };

interface Creation {
  /** Where it is posted. */
  readonly path: string;
  readonly object: object;
}

/** Nodes as kubelets report them, with the Leases that they keep, and volumes for claims; stored as they are. */
export function machines(now: number): KubeObject[] {
  const time = new Date(now).toISOString().slice(0, 19);
  const nodes = nodeNames.map((name) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: `uid-of-${name}` },
    spec: { providerID: `example:///${name}` },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          lastHeartbeatTime: `${time}Z`,
          lastTransitionTime: `${time}Z`,
        },
      ],
    },
  }));
  const leases = nodeNames.map((name) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      namespace: 'kube-node-lease',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid: `uid-of-${name}` }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: `${time}.000000Z` },
  }));
  const volumes = namespaces.flatMap((namespace) =>
    Array.from({ length: 6 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `${namespace}-${index}` },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: 'by-hand',
        volumeMode: 'Filesystem',
        hostPath: { path: `/srv/${namespace}-${index}`, type: '' },
      },
      status: { phase: 'Available' },
    })),
  );
  return [...nodes, ...leases, ...volumes] as unknown as KubeObject[];
}

/** What a team applies: workloads of every kind, and what they need. The controllers make the rest. */
export function workloadsOf(namespace: string): Creation[] {
  const of = (path: string, object: object): Creation => ({
    path: `${path.startsWith('api/') ? '/' : '/apis/'}${path.replace('#', `namespaces/${namespace}`)}`,
    object,
  });
  const apps = Array.from({ length: 6 }, (_, index) => `web-${index}`);
  const pods = (app: string) => ({
    metadata: { labels: { app } },
    spec: { containers: [container] },
  });
  const run = { spec: { containers: [container], restartPolicy: 'Never' } };
  const set = (name: string, policy: string) =>
    of('apps/v1/#/statefulsets', {
      metadata: { name },
      spec: {
        replicas: 3,
        serviceName: name,
        selector: { matchLabels: { app: name } },
        template: pods(name),
        persistentVolumeClaimRetentionPolicy: { whenDeleted: policy, whenScaled: policy },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'by-hand', resources },
          },
        ],
      },
    });
  const service = (name: string) =>
    of('api/v1/#/services', {
      metadata: { name },
      spec: { selector: { app: name }, ports: [{ port: 80 }] },
    });
  return [
    ...apps.flatMap((app) => [
      of('apps/v1/#/deployments', {
        metadata: { name: app },
        spec: { replicas: 6, selector: { matchLabels: { app } }, template: pods(app) },
      }),
      service(app),
      of('api/v1/#/configmaps', { metadata: { name: `${app}-settings` }, data: { level: 'info' } }),
      of('api/v1/#/secrets', { metadata: { name: `${app}-password` }, stringData: { p: 'x' } }),
      of('api/v1/#/serviceaccounts', { metadata: { name: app } }),
      of('policy/v1/#/poddisruptionbudgets', {
        metadata: { name: app },
        spec: { minAvailable: 1, selector: { matchLabels: { app } } },
      }),
    ]),
    set('db', 'Retain'),
    set('cache', 'Delete'),
    service('db'),
    of('apps/v1/#/daemonsets', {
      metadata: { name: 'agent' },
      spec: { selector: { matchLabels: { app: 'agent' } }, template: pods('agent') },
    }),
    of('batch/v1/#/cronjobs', {
      metadata: { name: 'report' },
      spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: run } } },
    }),
    ...Array.from({ length: 4 }, (_, index) =>
      of('batch/v1/#/jobs', {
        metadata: { name: `import-${index}` },
        spec: { completions: 2, parallelism: 2, ttlSecondsAfterFinished: 3600, template: run },
      }),
    ),
  ];
}
