import type { CertificateRequestFacts } from './certificate-request-facts.ts';
import type { CronJobFacts, JobFacts } from './job-facts.ts';
import type { LeaseFacts } from './lease-facts.ts';
import type { NamespaceFacts } from './namespace-facts.ts';
import type { NodeFacts } from './node-facts.ts';
import type { PodFacts } from './pod-facts.ts';
import type { ResourceClaimFacts } from './resource-claim-facts.ts';
import type { SecretFacts } from './secret-facts.ts';
import type { EndpointSliceFacts, ServiceAccountFacts, ServiceFacts } from './service-facts.ts';
import type {
  CsiNodeFacts,
  PersistentVolumeClaimFacts,
  PersistentVolumeFacts,
  VolumeAttachmentFacts,
} from './storage-facts.ts';
import type {
  ControllerRevisionFacts,
  DaemonSetFacts,
  DeploymentFacts,
  StatefulSetFacts,
} from './workload-facts.ts';

/**
 * The spec and status fields that decide about deletions; present only when full objects were read.
 * A record has those of its kind; of what is unset, the API has the default or nothing.
 */
export interface ObjectFacts
  extends PodFacts,
    NodeFacts,
    NamespaceFacts,
    DeploymentFacts,
    StatefulSetFacts,
    DaemonSetFacts,
    ControllerRevisionFacts,
    JobFacts,
    CronJobFacts,
    PersistentVolumeFacts,
    PersistentVolumeClaimFacts,
    VolumeAttachmentFacts,
    CsiNodeFacts,
    ServiceFacts,
    EndpointSliceFacts,
    ServiceAccountFacts,
    SecretFacts,
    CertificateRequestFacts,
    LeaseFacts,
    ResourceClaimFacts {}
