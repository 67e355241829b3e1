const startedAt = '2026-01-01T00:00:00Z';
const managedFields = {
  'f:spec': {
    'f:containers': {
      'k:{"name":"web"}': {
        '.': {},
        'f:image': {},
        'f:imagePullPolicy': {},
        'f:name': {},
        'f:resources': { 'f:limits': { 'f:cpu': {}, 'f:memory': {} } },
        'f:terminationMessagePath': {},
        'f:terminationMessagePolicy': {},
      },
    },
    'f:dnsPolicy': {},
    'f:restartPolicy': {},
    'f:schedulerName': {},
    'f:terminationGracePeriodSeconds': {},
  },
};

/** A pod with all that a cluster stores about it, as `kubectl get -o json --show-managed-fields` prints it. */
export function largePod(index: number): object {
  const app = `web-${index % 8000}`;
  const hex = (offset: number): string => (offset + index).toString(16).padStart(12, '0');
  const owner = `0b3c1a52-7d1e-4c7e-9d3b-${(index % 8000).toString(16).padStart(12, '0')}`;
  const toleration = (key: string): object => ({
    effect: 'NoExecute',
    key,
    operator: 'Exists',
    tolerationSeconds: 300,
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      creationTimestamp: startedAt,
      generateName: `${app}-6c4d8b9f7-`,
      labels: { app, 'app.kubernetes.io/part-of': 'shop', 'pod-template-hash': '6c4d8b9f7' },
      managedFields: [
        {
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:ownerReferences': { '.': {}, [`k:{"uid":"${owner}"}`]: {} } },
            ...managedFields,
          },
          manager: 'kube-controller-manager',
          operation: 'Update',
          time: startedAt,
        },
      ],
      name: `${app}-6c4d8b9f7-${index.toString(36).padStart(5, '0')}`,
      namespace: `team-${index % 400}`,
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          blockOwnerDeletion: true,
          controller: true,
          kind: 'ReplicaSet',
          name: `${app}-6c4d8b9f7`,
          uid: owner,
        },
      ],
      resourceVersion: String(1_000_000 + index),
      uid: `5d2f9d38-3c3a-4b0e-8a55-${hex(0x10_0000)}`,
    },
    spec: {
      containers: [
        {
          env: ['HOST', 'PORT', 'REGION', 'LOG_LEVEL'].map((name) => ({ name, value: app })),
          image: 'registry.example.com/shop/web:1.2.3',
          imagePullPolicy: 'IfNotPresent',
          name: 'web',
          resources: { limits: { cpu: '500m', memory: '128Mi' } },
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          volumeMounts: [
            {
              mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
              name: 'kube-api-access-x7k2p',
              readOnly: true,
            },
          ],
        },
      ],
      dnsPolicy: 'ClusterFirst',
      enableServiceLinks: true,
      nodeName: `node-${index % 100}`,
      priority: 0,
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      serviceAccountName: 'default',
      terminationGracePeriodSeconds: 30,
      tolerations: [
        toleration('node.kubernetes.io/not-ready'),
        toleration('node.kubernetes.io/unreachable'),
      ],
      volumes: [
        {
          name: 'kube-api-access-x7k2p',
          projected: {
            defaultMode: 420,
            sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }],
          },
        },
      ],
    },
    status: {
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        lastProbeTime: null,
        lastTransitionTime: startedAt,
        status: 'True',
        type,
      })),
      containerStatuses: [
        {
          containerID: `containerd://${hex(0)}`,
          image: 'registry.example.com/shop/web:1.2.3',
          name: 'web',
          ready: true,
          restartCount: 0,
          started: true,
          state: { running: { startedAt } },
        },
      ],
      hostIP: '10.0.0.1',
      phase: 'Running',
      podIPs: [{ ip: '10.0.0.1' }],
      qosClass: 'Burstable',
      startTime: startedAt,
    },
  };
}
