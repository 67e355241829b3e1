import { condition, inShop, type ObjectWithFacts, since } from './object-with-facts.ts';

const secretEnv = (name: string) => ({
  name: 'hush',
  valueFrom: { secretKeyRef: { name, key: 'hush' } },
});

/** What is remembered as it stands. */
const kept = {
  nodeName: 'node-a',
  terminationGracePeriodSeconds: 0,
  serviceAccountName: 'web',
  tolerations: [
    { operator: 'Exists' },
    { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
    { key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 },
  ],
  resourceClaims: [
    { name: 'gpu', resourceClaimTemplateName: 'gpus' },
    { name: 'shared', resourceClaimName: 'shared-gpu' },
  ],
} as const;

const reported = (status: object) => ({
  ...status,
  ready: false,
  restartCount: 7,
  image: 'hush',
  imageID: 'hush',
});

export const pods: readonly ObjectWithFacts[] = [
  {
    what: 'with all kept fields',
    object: inShop('Pod', 'v1', 'full', {
      spec: {
        restartPolicy: 'Never',
        dnsPolicy: 'ClusterFirst',
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [{ key: 'hush', operator: 'Exists' }],
                  matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-a'] }],
                },
              ],
            },
          },
        },
        imagePullSecrets: [{ name: 'registry' }],
        containers: [
          {
            name: 'web',
            image: 'example.com/web:1',
            command: ['hush'],
            env: [
              { name: 'A', value: 'hush' },
              secretEnv('one'),
              secretEnv('two'),
              { name: 'hush', valueFrom: { configMapKeyRef: { name: 'keys', key: 'hush' } } },
            ],
            envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'all' } }],
          },
          { name: 'side', image: 'example.com/side:1' },
        ],
        initContainers: [
          { name: 'first', image: 'example.com/first:1', env: [secretEnv('init')] },
          { name: 'proxy', image: 'example.com/proxy:1', restartPolicy: 'Always' },
        ],
        ephemeralContainers: [
          { name: 'look', image: 'example.com/look:1', envFrom: [{ secretRef: { name: 'look' } }] },
        ],
        volumes: [
          { name: 'scratch', emptyDir: {} },
          { name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } },
          {
            name: 'cache',
            ephemeral: {
              volumeClaimTemplate: {
                spec: {
                  storageClassName: 'fast',
                  accessModes: ['ReadWriteOnce'],
                  resources: { requests: { storage: '1Gi' } },
                },
              },
            },
          },
          { name: 'key', secret: { secretName: 'key', items: [{ key: 'hush', path: 'hush' }] } },
          {
            name: 'all',
            projected: {
              sources: [
                { serviceAccountToken: { path: 'token' } },
                { secret: { name: 'a' } },
                { secret: { name: 'b' } },
                { configMap: { name: 'c' } },
                { configMap: { name: 'kube-root-ca.crt' } },
              ],
            },
          },
          { name: 'files', configMap: { name: 'files' } },
          { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
          { name: 'drive', csi: { driver: 'd.example.com', nodePublishSecretRef: { name: 'c' } } },
          {
            name: 'share',
            azureFile: { secretName: 'azure', shareName: 'share' },
          },
          {
            name: 'block',
            iscsi: { targetPortal: 'p', iqn: 'i', lun: 0, secretRef: { name: 'i' } },
          },
        ],
        ...kept,
      },
      status: {
        phase: 'Failed',
        reason: 'Evicted',
        message: 'hush',
        startTime: since,
        conditions: [
          { ...condition, lastProbeTime: null, observedGeneration: 2 },
          { type: 'DisruptionTarget', status: 'True', lastProbeTime: null },
        ],
        containerStatuses: [
          { name: 'web', state: { waiting: { reason: 'CrashLoopBackOff', message: 'hush' } } },
          { name: 'side', state: { running: { startedAt: since } } },
        ].map(reported),
        initContainerStatuses: [
          {
            name: 'first',
            state: { terminated: { exitCode: 137, signal: 9, reason: 'OOMKilled' } },
          },
          { name: 'proxy', state: { terminated: { exitCode: 0 } } },
          { name: 'late', state: { running: { startedAt: since } }, started: true },
        ].map(reported),
        resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'full-gpu-x' }],
      },
    }),
    facts: {
      affineNodes: [[{ key: 'metadata.name', operator: 'In', values: ['node-a'] }]],
      containers: [
        {
          name: 'web',
          image: 'example.com/web:1',
          env: [{ secretName: 'one' }, { secretName: 'two' }, { configMapName: 'keys' }],
          envFrom: [{ configMapName: 'settings' }, { secretName: 'all' }],
        },
        { name: 'side', image: 'example.com/side:1' },
      ],
      initContainers: [
        { name: 'first', image: 'example.com/first:1', env: [{ secretName: 'init' }] },
        { name: 'proxy', image: 'example.com/proxy:1', restartPolicy: 'Always' },
      ],
      ephemeralContainers: [
        { name: 'look', image: 'example.com/look:1', envFrom: [{ secretName: 'look' }] },
      ],
      imagePullSecrets: ['registry'],
      volumes: [
        { name: 'data', claimName: 'data-web-0' },
        { name: 'cache', ephemeral: true, storageClassName: 'fast' },
        { name: 'key', secretName: 'key' },
        {
          name: 'all',
          projected: [{ secretName: 'a' }, { secretName: 'b' }, { configMapName: 'c' }],
        },
        { name: 'files', configMapName: 'files' },
        { name: 'drive', csiSecret: 'c' },
        { name: 'share', azureFileSecret: 'azure' },
        { name: 'block', iscsiSecret: 'i' },
      ],
      ...kept,
      phase: 'Failed',
      reason: 'Evicted',
      startTime: since,
      conditions: [
        { ...condition, observedGeneration: 2 },
        { type: 'DisruptionTarget', status: 'True' },
      ],
      containerStatuses: [
        { name: 'web', waitingReason: 'CrashLoopBackOff' },
        { name: 'side', running: true },
      ],
      initContainerStatuses: [
        { name: 'first', exitCode: 137, signal: 9, endReason: 'OOMKilled' },
        { name: 'proxy', exitCode: 0 },
        { name: 'late', running: true, started: true },
      ],
      resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'full-gpu-x' }],
    },
  },
];
