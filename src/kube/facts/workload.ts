import { type LabelSelector, labelSelector, plainSelector } from '../label-selector.ts';
import { type Container, containers } from './pod.ts';
import {
  at,
  count,
  type Field,
  type FieldsOf,
  flag,
  integer,
  list,
  object,
  text,
  within,
} from './shape.ts';

/** Of ReplicationController, ReplicaSet, Deployment, StatefulSet and DaemonSet, each as far as it has them. */
export interface WorkloadFacts {
  /** metadata.generation, to compare with observedGeneration. */
  readonly generation?: number;
  /** spec.replicas. */
  readonly replicas?: number;
  readonly selector?: LabelSelector;
  /** Of the pod template. */
  readonly serviceAccountName?: string;
  /** Of the pod template. */
  readonly containers?: readonly Container[];
  readonly observedGeneration?: number;
  /** status.replicas. */
  readonly statusReplicas?: number;
}

export interface DeploymentFacts extends WorkloadFacts {
  readonly paused?: boolean;
  readonly revisionHistoryLimit?: number;
  /** status. */
  readonly updatedReplicas?: number;
  /** status. */
  readonly availableReplicas?: number;
}

export interface StatefulSetFacts extends WorkloadFacts {
  readonly revisionHistoryLimit?: number;
  readonly podManagementPolicy?: string;
  /** spec.ordinals.start: the number of the first pod. */
  readonly firstOrdinal?: number;
  /** Names. */
  readonly volumeClaimTemplates?: readonly string[];
  readonly persistentVolumeClaimRetentionPolicy?: ClaimRetentionPolicy;
  /** status: pods. */
  readonly readyReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
}

/** Retain or Delete. */
export interface ClaimRetentionPolicy {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
}

export interface DaemonSetFacts extends Omit<WorkloadFacts, 'replicas' | 'statusReplicas'> {
  readonly revisionHistoryLimit?: number;
  /** status: pods that are ready. */
  readonly numberReady?: number;
}

export interface ControllerRevisionFacts {
  readonly revision?: number;
}

const generation: Field<number> = at('metadata.generation', '1.7', count);

export const replicaSetFields: FieldsOf<WorkloadFacts> = {
  generation,
  replicas: at('spec.replicas', '2.1', integer),
  selector: at('spec.selector', '2.2', labelSelector),
  serviceAccountName: at('spec.template.spec.serviceAccountName', '2.3.2.8', text),
  containers: at('spec.template.spec.containers', '2.3.2.2', containers),
  observedGeneration: at('status.observedGeneration', '3.3', count),
  statusReplicas: at('status.replicas', '3.1', count),
};

export const replicationControllerFields: FieldsOf<WorkloadFacts> = {
  ...replicaSetFields,
  selector: at('spec.selector', '2.2', plainSelector),
};

export const deploymentFields: FieldsOf<DeploymentFacts> = {
  ...replicaSetFields,
  paused: at('spec.paused', '2.7', flag),
  revisionHistoryLimit: at('spec.revisionHistoryLimit', '2.6', integer),
  observedGeneration: at('status.observedGeneration', '3.1', count),
  statusReplicas: at('status.replicas', '3.2', count),
  updatedReplicas: at('status.updatedReplicas', '3.3', count),
  availableReplicas: at('status.availableReplicas', '3.4', count),
};

export const statefulSetFields: FieldsOf<StatefulSetFacts> = {
  ...replicaSetFields,
  revisionHistoryLimit: at('spec.revisionHistoryLimit', '2.8', integer),
  podManagementPolicy: at('spec.podManagementPolicy', '2.6', text),
  firstOrdinal: at('spec.ordinals.start', '2.11.1', count),
  volumeClaimTemplates: at(
    'spec.volumeClaimTemplates',
    '2.4',
    list(within('metadata.name', '1.1', text)),
  ),
  persistentVolumeClaimRetentionPolicy: at(
    'spec.persistentVolumeClaimRetentionPolicy',
    '2.10',
    object<ClaimRetentionPolicy>({
      whenDeleted: at('whenDeleted', '1', text),
      whenScaled: at('whenScaled', '2', text),
    }),
  ),
  observedGeneration: at('status.observedGeneration', '3.1', count),
  statusReplicas: at('status.replicas', '3.2', count),
  readyReplicas: at('status.readyReplicas', '3.3', count),
  currentRevision: at('status.currentRevision', '3.6', text),
  updateRevision: at('status.updateRevision', '3.7', text),
};

export const daemonSetFields: FieldsOf<DaemonSetFacts> = {
  generation,
  selector: at('spec.selector', '2.1', labelSelector),
  serviceAccountName: at('spec.template.spec.serviceAccountName', '2.2.2.8', text),
  containers: at('spec.template.spec.containers', '2.2.2.2', containers),
  revisionHistoryLimit: at('spec.revisionHistoryLimit', '2.6', integer),
  observedGeneration: at('status.observedGeneration', '3.5', count),
  numberReady: at('status.numberReady', '3.4', count),
};

export const controllerRevisionFields: FieldsOf<ControllerRevisionFacts> = {
  revision: at('revision', '3', integer),
};
