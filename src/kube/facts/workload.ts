import { labelSelector, plainSelector } from '../label-selector.ts';
import { commonConditions, conditions } from './condition.ts';
import { podTemplate, templateContainers, wholePodTemplate } from './pod.ts';
import {
  at,
  integer,
  isSet,
  list,
  nonZero,
  objectAt,
  objectsAt,
  partialReference,
  seconds,
  text,
  time,
  trueOnly,
} from './shape.ts';

/** To compare with observedGeneration. */
const generation = at('metadata.generation', '1.7', nonZero);

export const replicaSetFields = {
  generation,
  replicas: at('spec.replicas', '2.1', integer),
  selector: at('spec.selector', '2.2', labelSelector),
  /** Of the pod template, as `containers` are. */
  serviceAccountName: at('spec.template.spec.serviceAccountName', '2.3.2.8', text),
  containers: at('spec.template.spec.containers', '2.3.2.2', templateContainers),
  podTemplate: at('spec.template.spec', '2.3.2', podTemplate),
  observedGeneration: at('status.observedGeneration', '3.3', nonZero),
  statusReplicas: at('status.replicas', '3.1', nonZero),
  /** Pods that are ready. */
  readyReplicas: at('status.readyReplicas', '3.4', nonZero),
};

export const replicationControllerFields = {
  ...replicaSetFields,
  selector: at('spec.selector', '2.2', plainSelector),
};

const replicaFailure = conditions(
  { reason: 4, message: 5, lastUpdateTime: 6, lastTransitionTime: 7 },
  'ReplicaFailure',
);

export const deploymentFields = {
  ...replicaSetFields,
  minReadySeconds: at('spec.minReadySeconds', '2.5', nonZero),
  paused: at('spec.paused', '2.7', trueOnly),
  revisionHistoryLimit: at('spec.revisionHistoryLimit', '2.6', integer),
  observedGeneration: at('status.observedGeneration', '3.1', nonZero),
  statusReplicas: at('status.replicas', '3.2', nonZero),
  updatedReplicas: at('status.updatedReplicas', '3.3', nonZero),
  availableReplicas: at('status.availableReplicas', '3.4', nonZero),
  readyReplicas: at('status.readyReplicas', '3.7', nonZero),
  /** That its Pods cannot be created: a quota, a limit or a policy refuses them. */
  conditions: at('status.conditions', '3.6', replicaFailure),
};

export const statefulSetFields = {
  ...replicaSetFields,
  revisionHistoryLimit: at('spec.revisionHistoryLimit', '2.8', integer),
  podManagementPolicy: at('spec.podManagementPolicy', '2.6', text),
  minReadySeconds: at('spec.minReadySeconds', '2.9', nonZero),
  updateStrategy: at('spec.updateStrategy.type', '2.7.1', text),
  /** A rollout passes over as many of the first pods. */
  partition: at('spec.updateStrategy.rollingUpdate.partition', '2.7.2.1', nonZero),
  /** The number of the first pod. */
  firstOrdinal: at('spec.ordinals.start', '2.11.1', nonZero),
  volumeClaimTemplates: objectsAt('spec.volumeClaimTemplates', '2.4', {
    name: at('metadata.name', '1.1', text, ''),
    storageClassName: at('spec.storageClassName', '2.5', text),
  }),
  /** Each is Retain or Delete. */
  persistentVolumeClaimRetentionPolicy: objectAt(
    'spec.persistentVolumeClaimRetentionPolicy',
    '2.10',
    { whenDeleted: at('whenDeleted', '1', text), whenScaled: at('whenScaled', '2', text) },
  ),
  observedGeneration: at('status.observedGeneration', '3.1', nonZero),
  statusReplicas: at('status.replicas', '3.2', nonZero),
  readyReplicas: at('status.readyReplicas', '3.3', nonZero),
  currentRevision: at('status.currentRevision', '3.6', text),
  updateRevision: at('status.updateRevision', '3.7', text),
};

export const daemonSetFields = {
  generation,
  selector: at('spec.selector', '2.1', labelSelector),
  serviceAccountName: at('spec.template.spec.serviceAccountName', '2.2.2.8', text),
  containers: at('spec.template.spec.containers', '2.2.2.2', templateContainers),
  podTemplate: at('spec.template.spec', '2.2.2', podTemplate),
  updateStrategy: at('spec.updateStrategy.type', '2.3.1', text),
  minReadySeconds: at('spec.minReadySeconds', '2.4', nonZero),
  revisionHistoryLimit: at('spec.revisionHistoryLimit', '2.6', integer),
  observedGeneration: at('status.observedGeneration', '3.5', nonZero),
  /** Pods that there are to be. */
  desiredNumberScheduled: at('status.desiredNumberScheduled', '3.3', nonZero),
  /** Pods that are ready. */
  numberReady: at('status.numberReady', '3.4', nonZero),
};

export const controllerRevisionFields = {
  revision: at('revision', '3', integer),
};

export const jobFields = {
  selector: at('spec.selector', '2.4', labelSelector),
  podTemplate: at('spec.template.spec', '2.6.2', wholePodTemplate),
  parallelism: at('spec.parallelism', '2.1', integer),
  completions: at('spec.completions', '2.2', integer),
  suspend: at('spec.suspend', '2.10', trueOnly),
  backoffLimit: at('spec.backoffLimit', '2.7', integer),
  backoffLimitPerIndex: at('spec.backoffLimitPerIndex', '2.12', integer),
  activeDeadlineSeconds: at('spec.activeDeadlineSeconds', '2.3', seconds),
  podFailurePolicy: at('spec.podFailurePolicy', '2.11', isSet),
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
  successPolicy: at('spec.successPolicy', '2.16', isSet),
  ttlSecondsAfterFinished: at('spec.ttlSecondsAfterFinished', '2.8', seconds),
  managedBy: at('spec.managedBy', '2.15', text),
  conditions: at('status.conditions', '3.1', commonConditions),
  startTime: at('status.startTime', '3.2', time),
  completionTime: at('status.completionTime', '3.3', time),
  active: at('status.active', '3.4', nonZero),
  succeeded: at('status.succeeded', '3.5', nonZero),
  failed: at('status.failed', '3.6', nonZero),
};

export const cronJobFields = {
  podTemplate: at('spec.jobTemplate.spec.template.spec', '2.5.2.6.2', wholePodTemplate),
  schedule: at('spec.schedule', '2.1', text),
  timeZone: at('spec.timeZone', '2.8', text),
  startingDeadlineSeconds: at('spec.startingDeadlineSeconds', '2.2', seconds),
  concurrencyPolicy: at('spec.concurrencyPolicy', '2.3', text),
  suspend: at('spec.suspend', '2.4', trueOnly),
  successfulJobsHistoryLimit: at('spec.successfulJobsHistoryLimit', '2.6', integer),
  failedJobsHistoryLimit: at('spec.failedJobsHistoryLimit', '2.7', integer),
  activeJobs: at('status.active', '3.1', list(partialReference)),
  lastScheduleTime: at('status.lastScheduleTime', '3.4', time),
  lastSuccessfulTime: at('status.lastSuccessfulTime', '3.5', time),
};
