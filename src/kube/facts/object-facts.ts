import { jsonOf, type MutableJson } from '../json-value.ts';
import { labelSelector } from '../label-selector.ts';
import { isSecretType, type ResourceType } from '../resource-type.ts';
import { isBuiltInGroup } from '../resource-types.ts';
import {
  apiServiceFields,
  customResourceDefinitionFields,
  mutatingPolicyFields,
  mutatingWebhookFields,
  roleBindingFields,
  roleFields,
  validatingPolicyFields,
  validatingWebhookFields,
} from './admission.ts';
import { certificateRequestFields } from './certificate.ts';
import { cleanupPolicyFields, deletingPolicyFields } from './cleanup-policy.ts';
import { commonConditions } from './condition.ts';
import {
  applicationFields,
  challengeFields,
  clusterFields,
  clusterServiceVersionFields,
  helmReleaseFields,
  kustomizationFields,
} from './delivery.ts';
import { leaseCandidateFields, leaseFields, nodeFields } from './node.ts';
import { podFields } from './pod.ts';
import { printSecretFacts, readSecretFacts, type SecretFacts } from './secret.ts';
import {
  at,
  type FactsOf,
  type Fields,
  list,
  type NamedField,
  namedFields,
  nonZero,
  text,
  time,
} from './shape.ts';
import { composeFields, ownField, printFields, readFields } from './shape-in-json.ts';
import {
  csiNodeFields,
  deviceTaintRuleFields,
  endpointSliceFields,
  ipAddressFields,
  persistentVolumeClaimFields,
  persistentVolumeFields,
  resourceClaimFields,
  resourceSliceFields,
  serviceAccountFields,
  serviceCIDRFields,
  serviceFields,
  snapshotFields,
  volumeAttachmentFields,
} from './storage.ts';
import {
  controllerRevisionFields,
  cronJobFields,
  daemonSetFields,
  deploymentFields,
  jobFields,
  replicaSetFields,
  replicationControllerFields,
  statefulSetFields,
} from './workload.ts';

/** What a custom resource reports of itself. Servers send custom resources as JSON alone. */
const customResourceFields = { conditions: at('status.conditions', '1', commonConditions) };

const expiringFields = { expiresAt: at('status.expiration', '2', time) };

const nodeClaimFields = { ...customResourceFields, claimedNode: at('status.nodeName', '2', text) };

/** Whose eviction is refused. */
const disruptionBudgetFields = {
  podSelector: at('spec.selector', '2.2', labelSelector),
  disruptionsAllowed: at('status.disruptionsAllowed', '3.3', nonZero),
};

const noTexts: readonly string[] = Object.freeze([]);

const namespaceFields = {
  specFinalizers: at('spec.finalizers', '2.1', list(text), noTexts),
  phase: at('status.phase', '3.1', text),
  conditions: at('status.conditions', '3.2', commonConditions),
};

type ByGroup = Readonly<Record<string, Readonly<Record<string, Fields>>>>;

/** By group and kind. Secrets have facts, too, but are read with more care (secret.ts). */
const kinds = {
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
  // By these an audit names the server of an API that does not answer; there are few.
  'apiregistration.k8s.io': { APIService: apiServiceFields },
  apps: {
    ControllerRevision: controllerRevisionFields,
    DaemonSet: daemonSetFields,
    Deployment: deploymentFields,
    ReplicaSet: replicaSetFields,
    StatefulSet: statefulSetFields,
  },
  'argoproj.io': { Application: { ...applicationFields, ...customResourceFields } },
  batch: { CronJob: cronJobFields, Job: jobFields },
  'certificates.k8s.io': { CertificateSigningRequest: certificateRequestFields },
  'cluster.x-k8s.io': { Cluster: { ...clusterFields, ...customResourceFields } },
  'coordination.k8s.io': { Lease: leaseFields, LeaseCandidate: leaseCandidateFields },
  'discovery.k8s.io': { EndpointSlice: endpointSliceFields },
  'helm.toolkit.fluxcd.io': { HelmRelease: { ...helmReleaseFields, ...customResourceFields } },
  'kustomize.toolkit.fluxcd.io': {
    Kustomization: { ...kustomizationFields, ...customResourceFields },
  },
  'kyverno.io': {
    CleanupPolicy: { ...cleanupPolicyFields, ...customResourceFields },
    ClusterCleanupPolicy: { ...cleanupPolicyFields, ...customResourceFields },
  },
  'networking.k8s.io': { IPAddress: ipAddressFields, ServiceCIDR: serviceCIDRFields },
  'policies.kyverno.io': {
    DeletingPolicy: { ...deletingPolicyFields, ...customResourceFields },
    NamespacedDeletingPolicy: { ...deletingPolicyFields, ...customResourceFields },
  },
  // A plan reports the budgets that a deletion exceeds.
  policy: { PodDisruptionBudget: disruptionBudgetFields },
  'resource.k8s.io': {
    DeviceTaintRule: deviceTaintRuleFields,
    ResourceClaim: resourceClaimFields,
    ResourceSlice: resourceSliceFields,
  },
  'storage.k8s.io': { CSINode: csiNodeFields, VolumeAttachment: volumeAttachmentFields },
  'velero.io': { Backup: { ...customResourceFields, ...expiringFields } },
} satisfies ByGroup;

/** Kinds by which API servers refuse what controllers decide. One without fields of its own may have been read in full. */
const refusing = {
  'admissionregistration.k8s.io': {
    MutatingAdmissionPolicy: mutatingPolicyFields,
    MutatingWebhookConfiguration: mutatingWebhookFields,
    ValidatingAdmissionPolicy: validatingPolicyFields,
    ValidatingWebhookConfiguration: validatingWebhookFields,
  },
} satisfies ByGroup;

/**
 * Kinds by which no controller decides: only `why` needs more of them than metadata. ClusterServiceVersions are large, and
 * some are copied into every namespace.
 */
const explaining = {
  'apiextensions.k8s.io': { CustomResourceDefinition: customResourceDefinitionFields },
  'acme.cert-manager.io': { Challenge: challengeFields },
  'karpenter.sh': { NodeClaim: nodeClaimFields },
  'operators.coreos.com': { ClusterServiceVersion: clusterServiceVersionFields },
  'rbac.authorization.k8s.io': {
    ClusterRole: roleFields,
    ClusterRoleBinding: roleBindingFields,
    Role: roleFields,
    RoleBinding: roleBindingFields,
  },
  'snapshot.storage.k8s.io': {
    VolumeSnapshot: snapshotFields,
    VolumeSnapshotContent: snapshotFields,
  },
} satisfies ByGroup;

type FieldsIn<Of> = { [Group in keyof Of]: Of[Group][keyof Of[Group]] }[keyof Of];
/** The fields of all kinds together. */
type All<Of> = (Of extends unknown ? (of: FactsOf<Of>) => void : never) extends (
  of: infer Facts,
) => void
  ? Facts
  : never;
type KnownFacts = All<
  FieldsIn<typeof kinds> | FieldsIn<typeof refusing> | FieldsIn<typeof explaining>
>;

/**
 * The spec and status fields that decide about deletions; present only when full objects were read.
 * A record has those of its kind; of what is unset, the API has the default or nothing. Times are RFC 3339.
 */
export interface ObjectFacts extends KnownFacts, SecretFacts {}

/** What is kept of an object besides its metadata; undefined when only metadata was read. */
export function factsOf(object: MutableJson, type: ResourceType): ObjectFacts | undefined {
  if (isSecretType(type)) return readSecretFacts(object);
  const fields = factFieldsOf(type);
  if (!fields) return undefined;
  const isRead = fields.some(({ path }) => {
    const root = path[0] ?? '';
    if (root === 'metadata') return false;
    // The API writes null for a list that protobuf leaves out.
    return path.length > 1 || root === 'spec'
      ? jsonOf(object[root])
      : (object[root] ?? null) !== null;
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
export function printFacts(facts: ObjectFacts, type: ResourceType, object: MutableJson): void {
  if (isSecretType(type)) printSecretFacts(facts, object);
  const fields = factFieldsOf(type);
  if (!fields) return;
  printFields(fields, facts, object);
  const isSaid = fields.some(({ path: [root = ''] }) => root !== 'metadata' && root in object);
  if (isSaid) return;
  const roots = new Set(fields.map(({ path }) => path[0] ?? ''));
  // What has a value wherever it was read has none: then the other one was read.
  const wasNotRead = fields.some(
    ({ key, path: [root], fallback }) =>
      root === 'spec' && fallback !== undefined && facts[key as keyof ObjectFacts] === undefined,
  );
  if (roots.has('status') && (wasNotRead || !roots.has('spec'))) object.status = {};
  else if (roots.has('spec')) object.spec = {};
}

const fieldsByGroup = new Map(
  Object.entries<ByGroup[string]>({ ...kinds, ...refusing, ...explaining }).map(
    ([group, fieldsByKind]) => [
      group,
      new Map(Object.entries(fieldsByKind).map(([kind, fields]) => [kind, namedFields(fields)])),
    ],
  ),
);

/** Do controllers decide by spec or status of this kind? */
export function decidesByFacts({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): boolean {
  return (kinds as ByGroup)[group]?.[kind] !== undefined;
}

/** Do the facts of this kind belong to every reading of facts? */
export function needsFacts(type: Pick<ResourceType, 'group' | 'kind'>): boolean {
  const { group, kind } = type;
  return decidesByFacts(type) || (refusing as ByGroup)[group]?.[kind] !== undefined;
}

/** Has this kind its own fields? Of a custom resource without them, spec and status are read only of single objects. */
export function hasOwnFacts({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): boolean {
  return fieldsByGroup.get(group)?.has(kind) === true;
}

/** The fields that are kept as facts of a kind; undefined when there are none. */
export function factFieldsOf({
  group,
  kind,
}: Pick<ResourceType, 'group' | 'kind'>): readonly NamedField[] | undefined {
  return fieldsByGroup.get(group)?.get(kind) ?? (isBuiltInGroup(group) ? undefined : reported);
}

const reported = namedFields(customResourceFields);
