import type { ResourceType } from '../resource-type.ts';
import { certificateRequestFields } from './certificate-request-facts.ts';
import { cronJobFields, jobFields } from './job-facts.ts';
import { leaseCandidateFields, leaseFields } from './lease-facts.ts';
import { namespaceFields } from './namespace-facts.ts';
import { nodeFields } from './node-facts.ts';
import type { ObjectFacts } from './object-facts.ts';
import { podFields } from './pod-facts.ts';
import { resourceClaimFields } from './resource-claim-facts.ts';
import { endpointSliceFields, serviceAccountFields, serviceFields } from './service-facts.ts';
import { type FieldsOf, type NamedField, namedFields } from './shape.ts';
import {
  csiNodeFields,
  persistentVolumeClaimFields,
  persistentVolumeFields,
  volumeAttachmentFields,
} from './storage-facts.ts';
import {
  controllerRevisionFields,
  daemonSetFields,
  deploymentFields,
  replicaSetFields,
  replicationControllerFields,
  statefulSetFields,
} from './workload-facts.ts';

/** By group and kind. Secrets have facts, too, but are read with more care (secret-facts.ts). */
const kinds: Readonly<
  Record<string, Readonly<Record<string, FieldsOf<Pick<ObjectFacts, never>>>>>
> = {
  '': {
    Namespace: namespaceFields,
    Node: nodeFields,
    PersistentVolume: persistentVolumeFields,
    PersistentVolumeClaim: persistentVolumeClaimFields,
    Pod: podFields,
    ReplicationController: replicationControllerFields,
    Service: serviceFields,
    ServiceAccount: serviceAccountFields,
  },
  apps: {
    ControllerRevision: controllerRevisionFields,
    DaemonSet: daemonSetFields,
    Deployment: deploymentFields,
    ReplicaSet: replicaSetFields,
    StatefulSet: statefulSetFields,
  },
  batch: { CronJob: cronJobFields, Job: jobFields },
  'certificates.k8s.io': { CertificateSigningRequest: certificateRequestFields },
  'coordination.k8s.io': { Lease: leaseFields, LeaseCandidate: leaseCandidateFields },
  'discovery.k8s.io': { EndpointSlice: endpointSliceFields },
  'resource.k8s.io': { ResourceClaim: resourceClaimFields },
  'storage.k8s.io': { CSINode: csiNodeFields, VolumeAttachment: volumeAttachmentFields },
};

const fieldsByGroup = new Map(
  Object.entries(kinds).map(([group, fieldsByKind]) => [
    group,
    new Map(Object.entries(fieldsByKind).map(([kind, fields]) => [kind, namedFields(fields)])),
  ]),
);

/** The fields that are kept as facts of a kind; undefined when there are none. */
export function factFieldsOf({
  group,
  kind,
}: Pick<ResourceType, 'group' | 'kind'>): readonly NamedField[] | undefined {
  return fieldsByGroup.get(group)?.get(kind);
}
