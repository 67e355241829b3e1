import {
  type ApiServerManaged,
  accounts,
  keeperOf,
  type Recreator,
} from '../../controllers/bookkeeping.ts';
import { type ByKind, byKind } from '../../controllers/cluster-view.ts';
import { revisionAnnotation } from '../../controllers/workloads/replicaset-history.ts';
import {
  claimOrdinalOf,
  isHealthy,
  ordinalOf,
  ordinalsBetween,
  ordinalsOf,
} from '../../controllers/workloads/statefulset-pods.ts';
import { certificateNamedIn, certificates } from '../../delivery/cert-manager.ts';
import type { Entry } from '../../delivery/tool.ts';
import { appliedBy, inventoryOf, nameOfTool } from '../../delivery/tools.ts';
import { isEmptySelector } from '../../kube/label-selector.ts';
import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { inWords, kindAndName } from '../../kube/object-reference.ts';
import { claimOf, knownVolumesOf, targetNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import {
  finishedCondition,
  isNode,
  isPodTerminal,
  nodeLeases,
  persistentVolumeClaims,
  replicasOf,
} from '../../kube/well-known-kinds.ts';
import type { EnabledControllers } from '../../settings/enabled-controllers.ts';
import type { ReadCoverage } from '../../simulator/simulation-input.ts';

/** The controller that creates another object after this one was deleted. */
export interface Recreation {
  /** The object whose controller does it; undefined for what every namespace has. */
  readonly owner: ObjectRecord | undefined;
  readonly who: string;
  /** Of a delivery tool: `within its interval (10m)`. */
  readonly when?: string;
  /** Why it is not certain, as what decides was not read or is the controller's own business. */
  readonly doubt?: string;
}

type MayRecreate = 'yes' | 'no' | { readonly doubt: string };

const doubtUnread = (what: string): MayRecreate => ({ doubt: `its ${what} was not read` });

/** Facts about the cluster beside its objects. */
export interface RecreationInput {
  readonly isEnabled: EnabledControllers;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly types: ResourceTypes;
  readonly coversNode: ReadCoverage['coversNode'];
  /** The objects of delivery tools that say they applied it. */
  readonly tools: readonly ObjectRecord[];
  /** Was the object of a tool read, that an object names as its own? */
  readonly isToolRead: (by: Entry) => boolean;
}

/** Will something make another one of an object that goes? Undefined when nothing will. */
export function recreationOf(
  record: ObjectRecord,
  after: ClusterAfter,
  input: RecreationInput,
): Recreation | undefined {
  const { isEnabled, coversNode, now, types } = input;
  const keeper = keeperOf(record, now);
  if (keeper) return keptEverywhere(record, keeper, after, isEnabled);
  const account = accounts.find(({ kept }) => kept === groupResourceOf(record.type));
  if (account) return keptFor(record, account, after, types);
  const reference =
    record.ownerReferences.find(({ controller }) => controller === true) ?? leaseHolder(record);
  const owner = reference
    ? after.living(reference.uid)
    : (serviceOf(record, after) ?? setOfClaim(record, after));
  const certificate = reference ? undefined : certificateOf(record, after);
  if (certificate) {
    // Nothing is deleted with the Certificate, so that deleting it instead is no advice.
    const doubt = `it issues the Secret of Certificate ${certificate.name} while it runs`;
    return { owner: undefined, who: 'cert-manager', doubt };
  }
  if (!owner) return reference ? undefined : appliedAgain(record, after, input);
  const named = kindAndName(owner);
  const who = isNode(owner) ? `the kubelet of ${named}` : named;
  const recreation = (answer: MayRecreate): Recreation | undefined => {
    if (answer === 'no') return undefined;
    return { owner, who, ...(answer !== 'yes' && answer) };
  };
  const rule = rules[`${groupResourceOf(owner.type)} ${groupResourceOf(record.type)}`];
  // A DaemonSet has a pod on each Node that is there.
  const node = targetNodeOf(record);
  const isNodeGone = node !== undefined && !after.at('nodes', '', node) && coversNode(node);
  if (owner.type.kind === 'DaemonSet' && isNodeGone) return undefined;
  if (rule) {
    const [controller, answer] = rule;
    if (controller !== undefined && !isEnabled(controller)) return undefined;
    return recreation(answer(record, owner, after));
  }
  const isBuiltIn = owner.type.group === '' || !owner.type.group.includes('.');
  if (isBuiltIn) return undefined;
  return recreation({ doubt: 'that is up to the controller' });
}

/** A delivery tool that lives on applies again what it finds gone. */
function appliedAgain(
  record: ObjectRecord,
  after: ClusterAfter,
  { tools, isToolRead }: RecreationInput,
): Recreation | undefined {
  for (const { uid } of tools) {
    const owner = after.living(uid);
    const inventory = owner && inventoryOf(owner);
    if (!inventory || inventory === 'unknown') continue;
    const again = inventory.recreates(record);
    if (!again) continue;
    return { owner, who: nameOfTool(owner), ...again };
  }
  const { who, by } = appliedBy(record) ?? {};
  if (who === undefined || !by || isToolRead(by)) return undefined;
  return { owner: undefined, who, doubt: 'its state was not read' };
}

/** The controller, as --controllers calls it, undefined for kubelets; and whether it makes another one. */
type RecreationRule = readonly [
  controller: string | undefined,
  answer: (record: ObjectRecord, owner: ObjectRecord, after: ClusterAfter) => MayRecreate,
];

const always = (): MayRecreate => 'yes';

/** A Pod that is being deleted has its replacement already (FilterActivePods, pkg/controller/controller_utils.go). */
function byReplicas(pod: ObjectRecord, owner: ObjectRecord): MayRecreate {
  if (isPodTerminal(pod) || isBeingDeleted(pod)) return 'no';
  if (!owner.facts) return doubtUnread('number of replicas');
  return replicasOf(owner) > 0 ? 'yes' : 'no';
}

/** In order, it makes a pod once all before it are ready (processReplica, pkg/controller/statefulset/stateful_set_control.go). */
function byOrdinal({ name }: ObjectRecord, set: ObjectRecord, after: ClusterAfter): MayRecreate {
  const { facts } = set;
  if (!facts) return doubtUnread('number of replicas');
  const first = facts.firstOrdinal ?? 0;
  const ordinal = ordinalOf(set, name);
  if (ordinal < first || ordinal >= first + replicasOf(set)) return 'no';
  if (facts.podManagementPolicy === 'Parallel') return 'yes';
  const used = () => ordinalsOf([set.name], after.in('pods', set.namespace));
  for (const before of ordinalsBetween(first, ordinal, used)) {
    const pod = after.at('pods', set.namespace, `${set.name}-${before}`);
    if (pod?.facts && !isHealthy(pod)) return { doubt: `Pod ${pod.name} is to be ready before` };
  }
  return 'yes';
}

/** It creates the claims of a Pod before the Pod (createPersistentVolumeClaims, pkg/controller/statefulset/stateful_pod_control.go). */
function byClaimTemplate(claim: ObjectRecord, set: ObjectRecord): MayRecreate {
  if (!set.facts) return doubtUnread('number of replicas');
  const first = set.facts.firstOrdinal ?? 0;
  const ordinal = claimOrdinalOf(set, claim);
  return ordinal >= first && ordinal < first + replicasOf(set) ? 'yes' : 'no';
}

/** A paused one makes none (sync, pkg/controller/deployment/sync.go). */
function byRevision(set: ObjectRecord, deployment: ObjectRecord): MayRecreate {
  if (deployment.facts?.paused) return 'no';
  const mine = set.annotations?.[revisionAnnotation];
  const wanted = deployment.annotations?.[revisionAnnotation];
  if (mine !== undefined && wanted !== undefined) return mine === wanted ? 'yes' : 'no';
  if (!set.facts) return doubtUnread('revision');
  return replicasOf(set) > 0 ? 'yes' : 'no';
}

function byCompletion(pod: ObjectRecord, job: ObjectRecord): MayRecreate {
  if (!job.facts) return doubtUnread('state');
  const { suspend, podReplacementPolicy } = job.facts;
  const isReplaced = isBeingDeleted(pod) && podReplacementPolicy !== 'Failed';
  if (isPodTerminal(pod) || isReplaced) return 'no';
  return finishedCondition(job) !== undefined || suspend === true ? 'no' : 'yes';
}

function bySelector(_: ObjectRecord, service: ObjectRecord): MayRecreate {
  if (!service.facts) return doubtUnread('selector');
  return isEmptySelector(service.facts.selector) ? 'no' : 'yes';
}

function bySchedule(_: ObjectRecord, { facts }: ObjectRecord): MayRecreate {
  if (facts?.suspend === true) return 'no';
  return { doubt: 'it makes the next one by its schedule, not this one again' };
}

function byCurrentRevision({ name }: ObjectRecord, { facts }: ObjectRecord): MayRecreate {
  if (!facts || (facts.currentRevision ?? facts.updateRevision) === undefined) {
    return doubtUnread('current revision');
  }
  return name === facts.currentRevision || name === facts.updateRevision ? 'yes' : 'no';
}

/** The claim of an ephemeral volume, also of a pod that has ended (onPVCDelete, pkg/controller/volume/ephemeral). */
function byVolume({ name }: ObjectRecord, pod: ObjectRecord): MayRecreate {
  if (!pod.facts) return doubtUnread('list of volumes');
  const isItsOwn = knownVolumesOf(pod).some((volume) => {
    return volume.ephemeral && claimOf(pod, volume) === name;
  });
  return isItsOwn ? 'yes' : 'no';
}

const skipMirror = 'endpointslice.kubernetes.io/skip-mirror';

const byMirroring = (_: ObjectRecord, { labels }: ObjectRecord): MayRecreate =>
  labels?.[skipMirror] === 'true' ? 'no' : 'yes';

/** A DaemonSet makes the revision of its template again, which is the latest one; its status names none. */
function byLatestRevision(
  record: ObjectRecord,
  set: ObjectRecord,
  after: ClusterAfter,
): MayRecreate {
  const { revision } = record.facts ?? {};
  if (revision === undefined) return doubtUnread('number');
  const others = after
    .in('controllerrevisions.apps', record.namespace)
    .filter((other) => controllerOf(other)?.uid === set.uid);
  return others.some(({ facts }) => (facts?.revision ?? 0) > revision) ? 'no' : 'yes';
}

/** By the kind of the owner and that of the object. */
const rules: Readonly<Record<string, RecreationRule>> = {
  'replicasets.apps pods': ['replicaset-controller', byReplicas],
  'replicationcontrollers pods': ['replicationcontroller-controller', byReplicas],
  'statefulsets.apps pods': ['statefulset-controller', byOrdinal],
  'statefulsets.apps persistentvolumeclaims': ['statefulset-controller', byClaimTemplate],
  'daemonsets.apps pods': ['daemonset-controller', always],
  'jobs.batch pods': ['job-controller', byCompletion],
  'pods persistentvolumeclaims': ['ephemeral-volume-controller', byVolume],
  'nodes pods': [undefined, always],
  'nodes leases.coordination.k8s.io': [undefined, always],
  'deployments.apps replicasets.apps': ['deployment-controller', byRevision],
  'cronjobs.batch jobs.batch': ['cronjob-controller', bySchedule],
  'services endpointslices.discovery.k8s.io': ['endpointslice-controller', bySelector],
  'services endpoints': ['endpoints-controller', bySelector],
  'endpoints endpointslices.discovery.k8s.io': ['endpointslice-mirroring-controller', byMirroring],
  'statefulsets.apps controllerrevisions.apps': ['statefulset-controller', byCurrentRevision],
  'daemonsets.apps controllerrevisions.apps': ['daemonset-controller', byLatestRevision],
};

/** A Node owns its Lease without being marked as its controller. */
function leaseHolder({ namespace, ownerReferences }: ObjectRecord) {
  if (namespace !== nodeLeases) return undefined;
  return ownerReferences.find(({ kind, apiVersion }) => kind === 'Node' && apiVersion === 'v1');
}

/** Endpoints have no reference to their Service, only its name. */
function serviceOf(
  { type, namespace, name }: ObjectRecord,
  after: ClusterAfter,
): ObjectRecord | undefined {
  if (groupResourceOf(type) !== 'endpoints') return undefined;
  const service = after.at('services', namespace, name);
  return service && !isBeingDeleted(service) ? service : undefined;
}

/** A claim of a StatefulSet has no reference to it, unless a retention policy is to delete it. */
function setOfClaim(claim: ObjectRecord, after: ClusterAfter): ObjectRecord | undefined {
  if (groupResourceOf(claim.type) !== persistentVolumeClaims) return undefined;
  const sets = after.in('statefulsets.apps', claim.namespace);
  return sets.find((set) => !isBeingDeleted(set) && claimOrdinalOf(set, claim) >= 0);
}

function certificateOf(secret: ObjectRecord, after: ClusterAfter): ObjectRecord | undefined {
  const name = certificateNamedIn(secret);
  const found = name === undefined ? undefined : after.at(certificates, secret.namespace, name);
  return found && !isBeingDeleted(found) ? found : undefined;
}

/** What API servers keep for an object that is there (BOOK-1, BOOK-2). */
function keptFor(
  record: ObjectRecord,
  { of, isKept, namesFor }: ApiServerManaged,
  after: ClusterAfter,
  types: ResourceTypes,
): Recreation | undefined {
  if (!isKept(record)) return undefined;
  const owner = after
    .all(of)
    .find((one) => !isBeingDeleted(one) && namesFor(one, types).includes(record.name));
  const who = `the API server, which keeps it for ${owner ? inWords(owner) : ''},`;
  return owner && { owner, who };
}

/** What every cluster has, or every namespace (BOOK-3). */
function keptEverywhere(
  record: ObjectRecord,
  { who, controller, only }: Recreator,
  after: ClusterAfter,
  isEnabled: EnabledControllers,
): Recreation | undefined {
  const kept = { owner: undefined, who };
  if (only) return { ...kept, doubt: only };
  if (controller === undefined) return kept;
  if (!isEnabled(controller)) return undefined;
  const home = after.at('namespaces', '', record.namespace);
  if (home?.deletionTimestamp !== undefined) return undefined;
  return home ? kept : { ...kept, doubt: `Namespace ${record.namespace} was not read` };
}

/** What is left after a deletion, to be asked; also what is being deleted. */
export interface ClusterAfter extends ByKind {
  /** The object with this uid, unless it does not exist or is being deleted. */
  living(uid: string): ObjectRecord | undefined;
}

/** Indexes what a simulation leaves; linear, and only by what it is asked. */
export function clusterAfter(left: readonly ObjectRecord[]): ClusterAfter {
  let byUid: ReadonlyMap<string, ObjectRecord> | undefined;
  return {
    ...byKind(left),
    living: (uid) => {
      byUid ??= new Map(left.map((record) => [record.uid, record]));
      const record = uid === '' ? undefined : byUid.get(uid);
      return record && !isBeingDeleted(record) ? record : undefined;
    },
  };
}
