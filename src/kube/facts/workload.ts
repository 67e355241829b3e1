import { labelSelector, plainSelector } from '../label-selector.ts';
import { commonConditions } from './condition.ts';
import { containers } from './pod.ts';
import {
  at,
  count,
  flag,
  integer,
  list,
  objectAt,
  objectsAt,
  partialReference,
  presence,
  seconds,
  text,
  time,
  within,
} from './shape.ts';

/** To compare with observedGeneration. */
const generation = at('metadata.generation', '1.7', count);

export const replicaSetFields = {
  generation,
  replicas: at('spec.replicas', '2.1', integer),
  selector: at('spec.selector', '2.2', labelSelector),
  /** Of the pod template, as `containers` are. */
  serviceAccountName: at('spec.template.spec.serviceAccountName', '2.3.2.8', text),
  containers: at('spec.template.spec.containers', '2.3.2.2', containers),
  observedGeneration: at('status.observedGeneration', '3.3', count),
  statusReplicas: at('status.replicas', '3.1', count),
  /** Pods that are ready. */
  readyReplicas: at('status.readyReplicas', '3.4', count),
};

export const replicationControllerFields = {
  ...replicaSetFields,
  selector: at('spec.selector', '2.2', plainSelector),
};

export const deploymentFields = {
  ...replicaSetFields,
  minReadySeconds: at('spec.minReadySeconds', '2.5', count),
  paused: at('spec.paused', '2.7', flag),
  revisionHistoryLimit: at('spec.revisionHistoryLimit', '2.6', integer),
  observedGeneration: at('status.observedGeneration', '3.1', count),
  statusReplicas: at('status.replicas', '3.2', count),
  updatedReplicas: at('status.updatedReplicas', '3.3', count),
  availableReplicas: at('status.availableReplicas', '3.4', count),
  readyReplicas: at('status.readyReplicas', '3.7', count),
};

export const statefulSetFields = {
  ...replicaSetFields,
  revisionHistoryLimit: at('spec.revisionHistoryLimit', '2.8', integer),
  podManagementPolicy: at('spec.podManagementPolicy', '2.6', text),
  minReadySeconds: at('spec.minReadySeconds', '2.9', count),
  updateStrategy: at('spec.updateStrategy.type', '2.7.1', text),
  /** A rollout passes over as many of the first pods. */
  partition: at('spec.updateStrategy.rollingUpdate.partition', '2.7.2.1', count),
  /** The number of the first pod. */
  firstOrdinal: at('spec.ordinals.start', '2.11.1', count),
  /** Names. */
  volumeClaimTemplates: at(
    'spec.volumeClaimTemplates',
    '2.4',
    list(within('metadata.name', '1.1', text)),
  ),
  /** Each is Retain or Delete. */
  persistentVolumeClaimRetentionPolicy: objectAt(
    'spec.persistentVolumeClaimRetentionPolicy',
    '2.10',
    { whenDeleted: at('whenDeleted', '1', text), whenScaled: at('whenScaled', '2', text) },
  ),
  observedGeneration: at('status.observedGeneration', '3.1', count),
  statusReplicas: at('status.replicas', '3.2', count),
  readyReplicas: at('status.readyReplicas', '3.3', count),
  currentRevision: at('status.currentRevision', '3.6', text),
  updateRevision: at('status.updateRevision', '3.7', text),
};

export const daemonSetFields = {
  generation,
  selector: at('spec.selector', '2.1', labelSelector),
  serviceAccountName: at('spec.template.spec.serviceAccountName', '2.2.2.8', text),
  containers: at('spec.template.spec.containers', '2.2.2.2', containers),
  updateStrategy: at('spec.updateStrategy.type', '2.3.1', text),
  minReadySeconds: at('spec.minReadySeconds', '2.4', count),
  revisionHistoryLimit: at('spec.revisionHistoryLimit', '2.6', integer),
  observedGeneration: at('status.observedGeneration', '3.5', count),
  /** Pods that there are to be. */
  desiredNumberScheduled: at('status.desiredNumberScheduled', '3.3', count),
  /** Pods that are ready. */
  numberReady: at('status.numberReady', '3.4', count),
};

export const controllerRevisionFields = {
  revision: at('revision', '3', integer),
};

export const jobFields = {
  selector: at('spec.selector', '2.4', labelSelector),
  parallelism: at('spec.parallelism', '2.1', integer),
  completions: at('spec.completions', '2.2', integer),
  suspend: at('spec.suspend', '2.10', flag),
  backoffLimit: at('spec.backoffLimit', '2.7', integer),
  backoffLimitPerIndex: at('spec.backoffLimitPerIndex', '2.12', integer),
  activeDeadlineSeconds: at('spec.activeDeadlineSeconds', '2.3', seconds),
  podFailurePolicy: at('spec.podFailurePolicy', '2.11', presence),
  podFailureRules: objectsAt('spec.podFailurePolicy.rules', '2.11.1', {
    action: at('action', '1', text),
    onExitCodes: objectAt('onExitCodes', '2', {
      containerName: at('containerName', '1', text),
      operator: at('operator', '2', text),
      values: at('values', '3', list(integer)),
    }),
    onPodConditions: objectsAt('onPodConditions', '3', {
      type: at('type', '1', text),
      status: at('status', '2', text),
    }),
  }),
  podReplacementPolicy: at('spec.podReplacementPolicy', '2.14', text),
  successPolicy: at('spec.successPolicy', '2.16', presence),
  ttlSecondsAfterFinished: at('spec.ttlSecondsAfterFinished', '2.8', seconds),
  managedBy: at('spec.managedBy', '2.15', text),
  conditions: at('status.conditions', '3.1', commonConditions),
  startTime: at('status.startTime', '3.2', time),
  completionTime: at('status.completionTime', '3.3', time),
  active: at('status.active', '3.4', count),
  succeeded: at('status.succeeded', '3.5', count),
  failed: at('status.failed', '3.6', count),
};

export const cronJobFields = {
  schedule: at('spec.schedule', '2.1', text),
  timeZone: at('spec.timeZone', '2.8', text),
  startingDeadlineSeconds: at('spec.startingDeadlineSeconds', '2.2', seconds),
  concurrencyPolicy: at('spec.concurrencyPolicy', '2.3', text),
  suspend: at('spec.suspend', '2.4', flag),
  successfulJobsHistoryLimit: at('spec.successfulJobsHistoryLimit', '2.6', integer),
  failedJobsHistoryLimit: at('spec.failedJobsHistoryLimit', '2.7', integer),
  activeJobs: at('status.active', '3.1', list(partialReference)),
  lastScheduleTime: at('status.lastScheduleTime', '3.4', time),
  lastSuccessfulTime: at('status.lastSuccessfulTime', '3.5', time),
};
