import type { Condition, ObjectRecord } from './object-record.ts';
import type { ObjectReference } from './object-reference.ts';

/** Is an object of this kind, in whatever version? */
function isOf(group: string, kind: string): (object: Pick<ObjectRecord, 'type'>) => boolean {
  return ({ type }) => type.kind === kind && type.group === group;
}

export const isPod = isOf('', 'Pod');
export const isNamespace = isOf('', 'Namespace');
export const isNode = isOf('', 'Node');
export const isClaim = isOf('', 'PersistentVolumeClaim');
export const isCustomResourceDefinition = isOf('apiextensions.k8s.io', 'CustomResourceDefinition');

/** Where each kubelet renews a Lease that has the name of its Node. */
export const nodeLeases = 'kube-node-lease';

/** What an object reference says of a kind. */
type NamedKind = Pick<ObjectReference, 'apiVersion' | 'kind'>;

export function namesNamespace({ apiVersion, kind }: NamedKind): boolean {
  return kind === 'Namespace' && apiVersion === 'v1';
}

/** A namespace or a definition: its content is deleted with it. */
export function namesContainer(object: NamedKind): boolean {
  const { apiVersion, kind } = object;
  const isDefinition =
    kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/');
  return isDefinition || namesNamespace(object);
}

/**
 * A namespace's spec.finalizers. Where they were not read, and on one that is not being deleted,
 * the finalizer that every namespace is created with is assumed (GC-70).
 */
export function specFinalizersOf({ facts, deletionTimestamp }: ObjectRecord): readonly string[] {
  const read = facts?.specFinalizers;
  if (read === undefined || (read.length === 0 && deletionTimestamp === undefined)) return created;
  return read;
}

/** The entry of spec.finalizers that the namespace controller removes. */
export const namespaceFinalizer = 'kubernetes';

const created: readonly string[] = Object.freeze([namespaceFinalizer]);

/** spec.terminationGracePeriodSeconds, which the API server defaults to 30. */
export function gracePeriodOf({ facts }: ObjectRecord): number {
  return facts?.terminationGracePeriodSeconds ?? 30;
}

/** A pod that has run to its end (IsPodTerminal, pkg/api/v1/pod). */
export function isPodTerminal({ facts }: ObjectRecord): boolean {
  return facts?.phase === 'Succeeded' || facts?.phase === 'Failed';
}

/** The first condition Complete or Failed that is True says that a Job has finished (TTL-2, CJ-3). */
export function finishedCondition({ facts }: ObjectRecord): Condition | undefined {
  return facts?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}

const outOfServiceTaint = 'node.kubernetes.io/out-of-service';

/** status.conditions[type], of which there may be several: the first counts (PG-10; GetPodConditionFromList, pkg/api/v1/pod). */
export function conditionOf({ facts }: ObjectRecord, name: string): Condition | undefined {
  return facts?.conditions?.find(({ type }) => type === name);
}

export function readyConditionOf(object: ObjectRecord): Condition | undefined {
  return conditionOf(object, 'Ready');
}

/** Without a condition Ready neither a Node nor a pod is ready. */
export function isReady(object: ObjectRecord): boolean {
  return readyConditionOf(object)?.status === 'True';
}

/**
 * Errors of the container runtime, with which a kubelet reports itself not ready and leaves all pods as they are; with
 * those of the network, of storage or of a shutdown it goes on (runtimeErrors in syncLoop, pkg/kubelet/kubelet.go).
 */
const runtimeErrors =
  /container runtime (?:is down|not ready|status check may not have completed)|is not healthy:/;

/**
 * Does the kubelet of a Node end no pods, as it has reported nothing for so long that its controller says so, or as its
 * container runtime fails? A kubelet registers its Node with the condition Ready, so a Node that a server created without it
 * has none (NODE-4). A Node whose status was not read, or that is a manifest without one, is not silent.
 */
export function isKubeletUnresponsive(node: ObjectRecord): boolean {
  const ready = readyConditionOf(node);
  if (!ready) return node.facts !== undefined && node.creationTimestamp !== undefined;
  const { status, message = '' } = ready;
  return status === 'Unknown' || (status === 'False' && runtimeErrors.test(message));
}

export function isOutOfService({ facts }: ObjectRecord): boolean {
  return facts?.taints?.some(({ key }) => key === outOfServiceTaint) ?? false;
}

/** Was this input made from a list of all Namespaces? Each cluster has these two, and files of some objects leave them out. */
export function showsAllNamespaces(records: readonly ObjectRecord[]): boolean {
  return records.some((one) => isNamespace(one) && /^(default|kube-system)$/.test(one.name));
}

/** Resources as kubectl names them: the plural and, after a dot, the API group. */
export const controllerRevisions = 'controllerrevisions.apps';
export const customResourceDefinitions = 'customresourcedefinitions.apiextensions.k8s.io';
export const deployments = 'deployments.apps';
export const endpointSlices = 'endpointslices.discovery.k8s.io';
export const leases = 'leases.coordination.k8s.io';
export const persistentVolumeClaims = 'persistentvolumeclaims';
export const persistentVolumes = 'persistentvolumes';
export const pods = 'pods';
export const replicaSets = 'replicasets.apps';
export const resourceClaims = 'resourceclaims.resource.k8s.io';
export const resourceSlices = 'resourceslices.resource.k8s.io';
export const volumeAttachments = 'volumeattachments.storage.k8s.io';

/** Values that the API server sets where a field is left out (pkg/apis/apps/v1/defaults.go, pkg/apis/batch/v1/defaults.go). */
export const apiDefaults = {
  replicas: 1,
  revisionHistoryLimit: 10,
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
  backoffLimit: 6,
} as const;

export function replicasOf({ facts }: ObjectRecord): number {
  return facts?.replicas ?? apiDefaults.replicas;
}

/** spec.revisionHistoryLimit of a workload. */
export function revisionHistoryLimitOf({ facts }: ObjectRecord): number {
  return facts?.revisionHistoryLimit ?? apiDefaults.revisionHistoryLimit;
}
