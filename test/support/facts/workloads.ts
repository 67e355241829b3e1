import {
  condition,
  inShop,
  jobTemplateFacts,
  keeping,
  later,
  type ObjectWithFacts,
  selector,
  since,
  template,
  templateFacts,
} from './object-with-facts.ts';

const runsOnce = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
const failureRules = [
  { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
  { action: 'FailJob', onExitCodes: { containerName: 'web', operator: 'In', values: [42, 300] } },
];
const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
};
const started = { kind: 'Job', namespace: 'shop', name: 'nightly-1', uid: 'uid-nightly-1' };

export const workloads: readonly ObjectWithFacts[] = [
  keeping('half-way through a rollout', 'apps/v1 Deployment shop/web', {
    generation: 2,
    spec: { replicas: 3, selector, minReadySeconds: 5, paused: true, revisionHistoryLimit: 0 },
    status: { observedGeneration: 2, updatedReplicas: 2, availableReplicas: 3, readyReplicas: 4 },
    forgotten: { spec: { template }, status: { replicas: 4 } },
    facts: { ...templateFacts, statusReplicas: 4 },
  }),
  keeping('scaled down', 'apps/v1 ReplicaSet shop/web-1', {
    generation: 6,
    spec: { replicas: 0, selector },
    status: { observedGeneration: 5, readyReplicas: 1 },
    forgotten: { spec: { template }, status: { replicas: 1 } },
    facts: { ...templateFacts, statusReplicas: 1 },
  }),
  keeping('with claims', 'apps/v1 StatefulSet shop/db', {
    generation: 1,
    spec: {
      replicas: 2,
      selector,
      podManagementPolicy: 'Parallel',
      minReadySeconds: 10,
      revisionHistoryLimit: 5,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
    },
    status: {
      observedGeneration: 1,
      readyReplicas: 1,
      currentRevision: 'db-1',
      updateRevision: 'db-2',
    },
    forgotten: {
      spec: {
        template,
        serviceName: 'db',
        ordinals: { start: 3 },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
        volumeClaimTemplates: [
          { metadata: { name: 'data' }, spec: { storageClassName: 'fast', ...claimSpec } },
          { metadata: { name: 'log' }, spec: claimSpec },
        ],
      },
      status: { replicas: 2 },
    },
    facts: {
      ...templateFacts,
      firstOrdinal: 3,
      updateStrategy: 'RollingUpdate',
      partition: 1,
      volumeClaimTemplates: [{ name: 'data', storageClassName: 'fast' }, { name: 'log' }],
      statusReplicas: 2,
    },
  }),
  keeping('during a rollout', 'apps/v1 DaemonSet shop/agent', {
    generation: 6,
    spec: { selector, minReadySeconds: 7, revisionHistoryLimit: 2 },
    status: { observedGeneration: 5, desiredNumberScheduled: 3, numberReady: 4 },
    forgotten: {
      spec: { template, updateStrategy: { type: 'OnDelete' } },
      status: { currentNumberScheduled: 1, numberMisscheduled: 2 },
    },
    facts: { ...templateFacts, updateStrategy: 'OnDelete' },
  }),
  {
    what: 'with its number',
    object: inShop('ControllerRevision', 'apps/v1', 'db-1', {
      data: { spec: { template: { env: 'hush' } } },
      revision: 7,
    }),
    facts: { revision: 7 },
  },
  keeping('that failed', 'batch/v1 Job shop/once', {
    spec: {
      parallelism: 0,
      completions: 2,
      suspend: true,
      activeDeadlineSeconds: 60,
      ttlSecondsAfterFinished: 0,
      managedBy: 'example.com/queue',
      selector,
    },
    status: { startTime: since, completionTime: later, active: 1, succeeded: 2, failed: 3 },
    forgotten: {
      spec: { template: runsOnce, podFailurePolicy: { rules: failureRules } },
      status: { conditions: [{ ...condition, type: 'Failed', lastProbeTime: since }] },
    },
    facts: {
      ...jobTemplateFacts,
      conditions: [{ ...condition, type: 'Failed' }],
      podFailurePolicy: true,
      podFailureRules: failureRules,
    },
  }),
  keeping('with a running Job', 'batch/v1 CronJob shop/nightly', {
    spec: {
      schedule: '0 3 * * *',
      timeZone: 'Asia/Seoul',
      startingDeadlineSeconds: 60,
      concurrencyPolicy: 'Replace',
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: 2,
    },
    status: { lastScheduleTime: since, lastSuccessfulTime: later },
    forgotten: {
      spec: { suspend: false, jobTemplate: { spec: { template: runsOnce } } },
      status: { active: [{ apiVersion: 'batch/v1', ...started, resourceVersion: '9' }] },
    },
    facts: { ...jobTemplateFacts, activeJobs: [started] },
  }),
];
