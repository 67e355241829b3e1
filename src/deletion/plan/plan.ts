import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { SeenSettings } from '../../settings/controller-settings.ts';
import type { Undetermined } from '../../simulator/engine/undetermined.ts';
import type { Reach } from '../../simulator/reach.ts';
import type { Blocker } from '../../snapshot/graph/blockers.ts';
import type { CoverageSummary, Snapshot } from '../../snapshot/snapshot.ts';
import type { PlannedAvailability } from './availability.ts';
import type { Refusals } from './proven-refusals.ts';

/** Which cluster a plan was made for. Both are empty when it was made from files. */
export interface PlannedCluster {
  /** The API server's address. */
  readonly server: string;
  /** uid of the Namespace kube-system, which no two clusters share; empty when it may not be read. */
  readonly uid: string;
}

/** One request that is to be sent, guarded by the object's uid. */
export interface PlannedRequest extends ObjectReference {
  readonly verb: 'delete' | 'patch';
  /** Sent as a precondition when a saved plan is performed, if `dependsOn` still matches. */
  readonly resourceVersion?: string;
  /** What must be so when a saved plan is performed; without it the resourceVersion must. */
  readonly dependsOn?: TargetState;
  /** Of a deletion. Unset: the server decides. */
  readonly propagationPolicy?: PropagationPolicy;
  /** What a patch says, or what is written first: an object that does not take it is not deleted. */
  readonly patch?: PlannedPatch;
  /** The Node is read again before the request: its condition is the reason why the Pod is deleted. */
  readonly node?: NodeCondition;
  readonly gracePeriodSeconds?: number;
}

/** The part of an object's metadata that decides what its deletion does. */
export interface TargetState {
  /** Sorted, like `owners`. */
  readonly finalizers: readonly string[];
  /** uids, with ` (blocking)` for blockOwnerDeletion. */
  readonly owners: readonly string[];
  readonly terminating: boolean;
  /** Only of objects that were selected by labels. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface PlannedPatch {
  readonly subresource?: 'status';
  /** strategic: lists are merged by their keys. merge: lists are replaced. */
  readonly type: 'strategic' | 'merge';
  readonly body: Readonly<Record<string, unknown>>;
}

export interface NodeCondition {
  readonly name: string;
  /** gone: there is no such Node. out-of-service: it is tainted so, and not ready. */
  readonly is: 'gone' | 'out-of-service';
}

/** An object that one might expect to be deleted, and that is skipped. */
export interface LeftAlone {
  readonly object: ObjectReference;
  readonly because: string;
}

/**
 * deleted: it goes. orphaned: it lives on without the reference. kept: another owner keeps it.
 * terminating: marked, but `blockedBy` keeps it from going. recreated: it goes, and its controller
 * makes another. unknown: what decides could not be read, or depends on an order that nothing fixes.
 */
export type Fate = 'deleted' | 'orphaned' | 'kept' | 'terminating' | 'recreated' | 'unknown';

/** A finalizer that has to be removed: by its program, or by Kubernetes once its condition is met. */
export interface FinalizerWait {
  readonly finalizer: string;
  /** The object that it is on. */
  readonly object: ObjectReference;
  /** Who removes it, in words, where that is known. */
  readonly removedBy?: string;
  /**
   * Does that program run, by its ready Pods and its Lease? `elsewhere`: it does, and watches other namespaces only. `leaving`: it
   * is deleted as well.
   */
  readonly alive?: 'yes' | 'no' | 'elsewhere' | 'leaving' | 'unknown';
  /** The evidence: `Deployment keda/keda-operator has no ready pod`. */
  readonly aliveBecause?: string;
}

/** A pod whose end the kubelet of its Node has to confirm, which is silent. It ends as well when the Node is deleted. */
export interface KubeletWait {
  /** The name of the Node. */
  readonly kubelet: string;
  /** The pod. */
  readonly object: ObjectReference;
  readonly alive: 'no';
  /** The reason and the message of the condition Ready. */
  readonly aliveBecause: string;
}

/**
 * A webhook that has to answer before the object is deleted, and that has no server; or a webhook or policy that refuses the
 * controller that deletes it. Without its configuration it is not asked.
 */
export interface WebhookWait {
  /** The name of the webhook or the policy. */
  readonly webhook: string;
  /** The ValidatingWebhookConfiguration or MutatingWebhookConfiguration, the ValidatingAdmissionPolicy, or the definition. */
  readonly configuration: ObjectReference;
  /** The object that is not deleted. */
  readonly object: ObjectReference;
  readonly alive: 'no';
  readonly aliveBecause: string;
}

/** An API that has to answer before the namespace controller finishes a Namespace (GC-71). */
export interface ApiWait {
  /** `v1beta1.metrics.k8s.io` */
  readonly api: string;
  /** The Namespace. */
  readonly object: ObjectReference;
  readonly alive: 'no';
  readonly aliveBecause: string;
}

/** What an end waits for that nothing simulated does. */
export type Wait = FinalizerWait | KubeletWait | WebhookWait | ApiWait;

/** An object that the deletion touches. */
export interface PlannedObject extends ObjectReference {
  /** 0 for the targets, then in the order of time. */
  readonly wave: number;
  /** uid of the object with which it is deleted: an owner, its namespace, its definition, or the object of a delivery tool. Targets have none. */
  readonly goesWith?: string;
  /** What becomes of it while the finalizers that block it stay, silent kubelets are silent, and webhooks have no server. */
  readonly fate: Fate;
  /** What becomes of it in the end, once none of that is so; unset where that is the same. */
  readonly then?: Fate;
  /** Beside `then`: the finalizers whose removal leads to it, the kubelets that have to confirm it, and the webhooks that have to answer. */
  readonly waitsFor?: readonly Wait[];
  /** It goes only if a program runs that no snapshot shows, as the provisioner of a volume. */
  readonly likely?: true;
  /** Of a pod: the name of the Node that it serves alone, as a pod of a DaemonSet or a static pod. */
  readonly servesNode?: string;
  readonly because: string;
  /** Identifier of the rule that decides. */
  readonly rule: string;
  readonly blockedBy: readonly Blocker[];
  /** Of a claim, a ConfigMap, a Secret, a ServiceAccount or a class: the objects that stay and refer to it. */
  readonly usedBy?: readonly ObjectReference[];
}

export type RemarkCode =
  | 'data'
  | 'in-use'
  | 'namespace-content'
  | 'custom-resources'
  | 'unserved-api'
  | 'not-waited-for'
  | 'delivered'
  | 'recreated'
  | 'adopted'
  | 'volume'
  | 'finalizer-deadlock'
  | 'silent-node'
  | 'ended-pods'
  | 'left-dangling'
  | 'may-be-refused'
  | 'refusal-unknown';

/** Something to know before saying yes. */
export interface PlanRemark {
  readonly code: RemarkCode;
  readonly severity: 'note' | 'warning';
  /** One or two sentences; says what to do where something can be done. */
  readonly message: string;
  readonly objects: readonly ObjectReference[];
}

/** Why the deletion itself would be refused as it was asked for. */
export interface PlanRefusal {
  readonly code:
    | 'protected'
    | 'too-many-deletes'
    | 'incomplete'
    | 'not-permitted'
    | 'refused-by-server';
  /** Of `refused-by-server`: the object that stays. The rest of the plan stands, and has no request for it. */
  readonly object?: ObjectReference;
  readonly message: string;
  /** What allows it all the same, or says more: one sentence each. */
  readonly suggestions: readonly string[];
}

/** What a deletion would ask of the cluster, and everything that follows from it. */
export interface Plan {
  readonly apiVersion: 'kubectl-gc/v1';
  readonly kind: 'Plan';
  readonly cluster: PlannedCluster;
  /** RFC 3339. */
  readonly createdAt: string;
  /** Sent in this order. */
  readonly requests: readonly PlannedRequest[];
  /** What the deletion touches, the targets first, and nothing else. */
  readonly objects: readonly PlannedObject[];
  readonly remarks: readonly PlanRemark[];
  readonly undetermined: readonly Undetermined[];
  /** Only when the work of a collector is applied: the objects that are skipped, and why. */
  readonly leftAlone?: readonly LeftAlone[];
  /** Only in a preview, and only where there is any. */
  readonly refusals?: readonly PlanRefusal[];
  /** Only where something that stays is affected. */
  readonly availability?: PlannedAvailability;
  readonly coverage: CoverageSummary;
}

/** A plan with the digest of all its other fields, so that an edit is noticed. */
export interface SealedPlan extends Plan {
  /**
   * Over the canonical JSON of all other fields.
   * @pattern ^sha256:[0-9a-f]{64}$
   */
  readonly digest: string;
}

/** What somebody wants to be deleted. */
export interface DeletionIntent {
  /** In the order in which they are requested. */
  readonly targets: readonly ObjectRecord[];
  readonly policy: PropagationPolicy;
  /** Undefined: not sent, so that the server decides. */
  readonly gracePeriodSeconds?: number | undefined;
  /** Where the targets were not named: by which part of them they were selected. */
  readonly selectedBy?: 'labels' | 'fields' | undefined;
  /** Targets that the API server refuses to delete, by uid: its words. They are not asked for. */
  readonly refused?: ReadonlyMap<string, string> | undefined;
}

/** How each of its requests is sent. */
export type HowToDelete = Pick<DeletionIntent, 'policy' | 'gracePeriodSeconds'>;

/** What a plan is made for. */
export interface PlanContext {
  /** Epoch milliseconds. */
  readonly now: number;
  /** What is not among them could not be read: Kubernetes' defaults count, and what another value would delete is unknown. */
  readonly settings: SeenSettings;
  readonly cluster: PlannedCluster;
  /** Workloads, pods and Leases that were read only to see who removes finalizers. */
  readonly finalizerPrograms?: Pick<Snapshot, 'records' | 'coverage'> | undefined;
  /** Custom resources that were read only to see which of them wait for a deleted program. */
  readonly customResourcesElsewhere?: ReadApart;
  /** Webhooks, APIServices and definitions that were read only to see which of them call a deleted program. */
  readonly webhooksAndApiServices?: ReadApart;
  /** RoleBindings and ClusterRoleBindings that were read only to see which of them name a deleted ServiceAccount. */
  readonly roleBindings?: ReadApart;
  /** Pods may end and stay, and which Pods of other namespaces have ended could not be read. */
  readonly endedPodsUnread?: true;
  /** What webhooks without a server refuse, where these were read apart, and what is refused to controllers. */
  readonly refusals?: Refusals | undefined;
  /** Play the usual orders of events alone: to play the rare ones, too, may take seconds. */
  readonly inUsualOrders?: true;
  /** What the targets can reach, where that was found already. */
  readonly reach?: Reach | undefined;
  /** Called from time to time; throws when the time for the plan is over. */
  readonly goOn?: () => void;
}

/** What was read beside all that a deletion touches; `unread`: kinds. */
export interface ReadApart {
  readonly records: readonly ObjectRecord[];
  readonly unread: readonly string[];
}

/** All that was read for a plan. A deletion is planned from it again with another policy, or without refused targets. */
export interface PlanEvidence {
  readonly snapshot: Snapshot;
  /** The targets as the snapshot has them. */
  readonly targets: readonly ObjectRecord[];
  readonly context: PlanContext;
  /** The resourceVersions of the lists that were read, from which a watch goes on; by `listKeyOf`. */
  readonly listVersions?: ReadonlyMap<string, string> | undefined;
}

/** A plan, and what it was made from. */
export interface Planned extends PlanEvidence {
  readonly plan: Plan;
  /** What admission says to a plan of the same deletion; undefined where it was not asked. */
  readonly remarksOn?: (plan: Plan) => readonly PlanRemark[];
}
