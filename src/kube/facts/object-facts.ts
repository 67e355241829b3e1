import { jsonOf } from '../json-value.ts';
import type { ResourceType } from '../resource-type.ts';
import { type CertificateRequestFacts, certificateRequestFields } from './certificate.ts';
import { type CronJobFacts, cronJobFields, type JobFacts, jobFields } from './job.ts';
import { type NamespaceFacts, namespaceFields } from './namespace.ts';
import {
  type LeaseFacts,
  leaseCandidateFields,
  leaseFields,
  type NodeObjectFacts,
  nodeFields,
} from './node.ts';
import { type PodFacts, podFields } from './pod.ts';
import { type ResourceClaimFacts, resourceClaimFields } from './resource-claim.ts';
import { printSecretFacts, readSecretFacts, type SecretFacts } from './secret.ts';
import {
  type EndpointSliceFacts,
  endpointSliceFields,
  type ServiceAccountFacts,
  type ServiceFacts,
  serviceAccountFields,
  serviceFields,
} from './service.ts';
import { type FieldsOf, type NamedField, namedFields } from './shape.ts';
import { composeFields, ownField, printFields, readFields } from './shape-in-json.ts';
import {
  type CsiNodeFacts,
  csiNodeFields,
  type PersistentVolumeClaimFacts,
  type PersistentVolumeFacts,
  persistentVolumeClaimFields,
  persistentVolumeFields,
  type VolumeAttachmentFacts,
  volumeAttachmentFields,
} from './storage.ts';
import {
  type ControllerRevisionFacts,
  controllerRevisionFields,
  type DaemonSetFacts,
  type DeploymentFacts,
  daemonSetFields,
  deploymentFields,
  replicaSetFields,
  replicationControllerFields,
  type StatefulSetFacts,
  statefulSetFields,
} from './workload.ts';

/**
 * The spec and status fields that decide about deletions; present only when full objects were read.
 * A record has those of its kind; of what is unset, the API has the default or nothing.
 */
export interface ObjectFacts
  extends PodFacts,
    NodeObjectFacts,
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

type Json = Record<string, unknown>;

/** What is kept of an object besides its metadata; undefined when only metadata was read. */
export function factsOf(object: Json, type: ResourceType): ObjectFacts | undefined {
  if (isSecret(type)) return readSecretFacts(object);
  const fields = factFieldsOf(type);
  if (!fields) return undefined;
  const isRead = fields.some(({ path }) => {
    const [root = '', ...rest] = path;
    if (root === 'metadata') return false;
    return rest.length > 0 || root === 'spec' ? jsonOf(object[root]) : object[root] !== undefined;
  });
  if (!isRead) return undefined;
  const values = readFields(fields, object);
  const certificate = jsonOf(jsonOf(object[ownField])?.certificate);
  if (certificate) {
    const { notAfter } = certificate;
    values[fields.findIndex(({ key }) => key === 'certificate')] =
      typeof notAfter === 'string' ? { notAfter } : {};
  }
  return composeFields(
    fields,
    values,
    ({ path: [root = ''] }) => jsonOf(object[root]) !== undefined,
  );
}

/** Puts facts where they were read; an empty spec says that it was read, and nothing set in it. */
export function printFacts(facts: ObjectFacts, type: ResourceType, object: Json): void {
  if (isSecret(type)) printSecretFacts(facts, object);
  const fields = factFieldsOf(type);
  if (!fields) return;
  printFields(fields, facts, object);
  const roots = new Set(fields.map(({ path }) => path[0] ?? ''));
  const isSaid = [...roots].some((root) => root !== 'metadata' && root in object);
  if (isSaid) return;
  if (roots.has('spec')) object.spec = {};
  else if (roots.has('status')) object.status = {};
}

function isSecret({ group, kind }: ResourceType): boolean {
  return group === '' && kind === 'Secret';
}

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
