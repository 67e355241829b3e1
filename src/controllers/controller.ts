import type { ObjectRecord } from '../kube/object-record.ts';
import { storedAs } from '../kube/resource-type.ts';
import type { ControllerSettings } from '../settings/controller-settings.ts';
import type { ByKind, ClusterView, Keys } from './cluster-view.ts';

/** The controllers other than the garbage collector, in the order of the documentation. */
export const controllerIds = [
  'pod-garbage-collector',
  'ttl-after-finished',
  'cronjob-history',
  'job',
  'adoption',
  'replicaset-history',
  'controllerrevision-history',
  'statefulset-pvc-retention',
  'workload-pods',
  'persistentvolume-reclaim',
  'attachdetach',
  'csr-cleaner',
  'podcertificaterequest-cleaner',
  'node-lifecycle',
  'device-taint-eviction',
  'cloud-node',
  'node-lease',
  'apiserver-lease',
  'endpointslice',
  'bookkeeping',
  'legacy-serviceaccount-token-cleaner',
  'serviceaccount-token',
  'bootstrap-token-cleaner',
  'ephemeral-volume',
  'resourceclaim',
  'missing-node',
  'protection',
  'time-to-live',
] as const;

export type ControllerId = (typeof controllerIds)[number];

/** Controllers that clean up; the last one is not of kube-controller-manager. */
export type CleanUpController =
  | 'certificatesigningrequest-cleaner-controller'
  | 'cronjob-controller'
  | 'daemonset-controller'
  | 'deployment-controller'
  | 'device-taint-eviction-controller'
  | 'endpoints-controller'
  | 'endpointslice-controller'
  | 'endpointslice-mirroring-controller'
  | 'job-controller'
  | 'legacy-serviceaccount-token-cleaner-controller'
  | 'node-lifecycle-controller'
  | 'persistentvolume-attach-detach-controller'
  | 'persistentvolume-binder-controller'
  | 'persistentvolume-protection-controller'
  | 'persistentvolumeclaim-protection-controller'
  | 'pod-garbage-collector-controller'
  | 'podcertificaterequest-cleaner-controller'
  | 'replicaset-controller'
  | 'replicationcontroller-controller'
  | 'resourceclaim-controller'
  | 'service-cidr-controller'
  | 'podgroup-protection-controller'
  | 'serviceaccount-token-controller'
  | 'statefulset-controller'
  | 'taint-eviction-controller'
  | 'token-cleaner-controller'
  | 'ttl-after-finished-controller'
  | 'volumeattributesclass-protection-controller'
  | 'cloud-controller-manager';

/** Those that run in kubelets, and not in kube-controller-manager. */
export const kubeletControllers: readonly string[] = ['image-gc', 'container-gc'];

/** What is done, and why. */
export interface Decided {
  /** `delete` may send its `patch` first. */
  readonly action: 'delete' | 'patch';
  readonly patch?: PatchRequest;
  /** `likely` and `unknown` depend on facts that no snapshot shows; `because` names them. */
  readonly confidence: DecisionConfidence;
  readonly because: string;
  /** As in PG-16. */
  readonly rule: string;
}

/** What a controller does with one object, and when. */
export interface Decision<By extends string = ControllerId> extends Decided {
  readonly collector: By;
  readonly object: ObjectRecord;
  /** The DELETE's options. */
  readonly options?: DeletionOptions;
  /**
   * Epoch milliseconds. Earliest and latest moment; without a latest one, how long it takes is
   * unknown.
   */
  readonly notBefore: number;
  readonly notAfter: number | undefined;
}

export type DecisionConfidence = 'certain' | 'likely' | 'unknown';

export interface DeletionOptions {
  readonly propagationPolicy?: 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
  /** A precondition on the object's uid. */
  readonly uid?: string;
  /** A precondition on the object's resourceVersion. */
  readonly resourceVersion?: string;
}

export interface PatchRequest {
  readonly subresource?: 'status';
  /** The fields that are set, as in a merge patch. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** One write as a watcher sees it; `before` is missing for a new object, `after` for a removed one. */
export interface Change {
  readonly before: ObjectRecord | undefined;
  readonly after: ObjectRecord | undefined;
}

/** Pods that workloads have lost during a play, each as it was before its deletion. */
export interface LostPods {
  has(workload: ObjectRecord): boolean;
  of(workload: ObjectRecord): readonly ObjectRecord[];
  /** `isNews`: the Pod has ended since its loss was noted. */
  note(workload: ObjectRecord, pod: ObjectRecord, isNews?: boolean): void;
  /** `lost`: undefined if its loss does not count. */
  set(workload: ObjectRecord, pod: ObjectRecord, lost: ObjectRecord | undefined): void;
}

/**
 * Objects that have lost their controller during a play, and who may adopt them. What was without one before was
 * adopted before, where anybody adopts it.
 */
export interface ReleasedObjects {
  readonly isEmpty: boolean;
  /** Takes note of an object that this write releases. */
  note(change: Change): void;
  /** Was it released? */
  has(object: ObjectRecord): boolean;
  /** May it adopt an object, or was it released itself? */
  concerns(record: ObjectRecord): boolean;
  /** Who may adopt an object, as long as they exist. */
  adoptersOf(object: ObjectRecord): readonly ObjectRecord[];
  /** What it may adopt, or has adopted. */
  of(adopter: ObjectRecord): readonly ObjectRecord[];
  /** An adopter and what it may adopt act on each other. */
  linksOf(record: ObjectRecord): readonly string[];
}

/** What controllers remember of a play. */
export interface PlayMemory {
  /** When the controllers started, if known; epoch milliseconds. */
  readonly startedAt: number | undefined;
  /** Taint eviction: when the time of a Pod ends, by its uid. */
  readonly evictions: Map<string, number>;
  readonly lostPods: LostPods;
  readonly released: ReleasedObjects;
  /** Does a request delete the object as well? Which deletion is first is undetermined. */
  isRequested(record: ObjectRecord): boolean;
}

/** By what a controller finds the objects that it processes. */
export interface SyncFacts {
  readonly view: ByKind;
  /** Only in a play. */
  readonly memory?: PlayMemory | undefined;
}

/** By kind, as in `jobs.batch`: names of an object of it, which may depend on other objects. */
export type Links = Readonly<
  Record<string, (record: ObjectRecord, by: SyncFacts) => readonly string[]>
>;

/** What decisions go by. */
export interface SyncInput extends SyncFacts {
  readonly view: ClusterView;
  readonly settings: ControllerSettings;
  /** Epoch milliseconds. */
  readonly now: number;
  /**
   * In a play, what led to it: the controller starts, something has changed, or the play begins and the controller ran
   * before (`settled`), so that it may have processed the object as it is. Otherwise that is open.
   */
  readonly trigger?: 'start' | 'change' | 'settled';
}

/** A controller that decides about one object at a time, whenever something changes that it decides by. */
export interface SyncController {
  /** As `--controllers` of kube-controller-manager calls it. */
  readonly runsAs: CleanUpController | 'kube-apiserver';
  /** The kind of the objects that it processes, as in `jobs.batch`. */
  readonly syncs: string;
  sync(object: ObjectRecord, by: SyncInput): readonly Decision[];
  /** Kinds of which it notices changes. Default: all that its controller reads. */
  readonly watches?: readonly string[];
  /** Could it decide anything about this object? It is asked often and must be cheap. Default: yes. */
  needsSync?(object: ObjectRecord, by: SyncFacts): boolean;
  /** It decides nothing about an object before something has changed. */
  readonly isIdleAtStart?: true;
  /** A write to an object of another kind leads to a sync of those that share one of these names with it. */
  readonly keys?: Keys;
  /** Which writes lead to that. Default: all. */
  triggers?(change: Change): boolean;
  /** In the place of `keys`: the objects to sync because of a write. */
  affectedBy?(change: Change, by: SyncFacts): readonly (ObjectRecord | undefined)[];
  /** Objects that share one of these names may end in another way together, as far as an object that it syncs has it. */
  readonly links?: Links;
  /** It deletes an object because another one is missing: who shares a name by `links` is always judged together. */
  readonly decidesByAbsence?: true;
  /** Milliseconds that it waits after a write to one of its objects. */
  readonly delay?: number;
  /** Its decisions may take until their latest moment even if it sees their cause immediately. */
  readonly takesUntilLatest?: true;
}

/**
 * What one or more controllers clean up: pure, so that a simulation can run it on its own clock. A new rule is decided
 * here: about one object in a SyncController, about many that count for each other in a PassController.
 */
export type Controller = SyncedController | PassController;

export interface SyncedController extends ControllerFacts {
  readonly syncers: readonly SyncController[];
}

/** Something may delay what it deletes. */
export interface DelayedController extends SyncedController {
  /** Deletions that a play leaves out where the controller ran before it: what delays them is unknown. */
  delayed(view: ClusterView, settings: ControllerSettings, now: number): readonly Decision[];
}

/** It decides about all objects of its kinds together, in the order in which it works; `now` in epoch milliseconds. */
export interface PassController extends ControllerFacts {
  pass(
    view: ClusterView,
    settings: ControllerSettings,
    now: number,
    memory?: ControllerMemory,
  ): readonly Decision[];
  /** Undefined: it works on events, and at the times that it finds. */
  readonly passes?: Passes | undefined;
  /** Could it decide anything because of this object, now or later? It is asked often. Default: yes. */
  needsPass?(record: ObjectRecord, view: ByKind): boolean;
  /** Does it need a pass before anything has changed? Default: as above. */
  isDueAtStart?(record: ObjectRecord, settings: ControllerSettings): boolean;
  /** Could it decide anything because this object was deleted? Default: no. */
  triggersOnDelete?(gone: ObjectRecord): boolean;
  /** Objects of one group are judged together, wherever they are. */
  groupOf?(record: ObjectRecord): string | undefined;
  /** Objects that share one of these names may end in another way together, if there is one of its first kind. */
  readonly links?: Links;
  /**
   * Keys of the cases that a write makes, and those of the case that is decided on. Default: the object, and its
   * group. A write that makes no case is no cause.
   */
  casesBy?(change: Change, view: ByKind): readonly string[];
  caseOf?(decision: Decision): readonly string[];
  /** Its passes in a play, with an empty memory. Default: `pass`, which remembers nothing. */
  begin?(): Pass;
}

/** Looks at the cluster once in a play: what is due now, and what will be. */
export type Pass = (
  view: ClusterView,
  settings: ControllerSettings,
  context: PassContext,
) => readonly ScheduledDecision[];

export interface PassContext {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Since when there may be a case that there was not in the last pass. */
  readonly since: number;
  /** The same of the case that has one of these keys, if it has changed since that pass. */
  sinceOf(keys: readonly string[]): number | undefined;
  /** The first pass, and nothing has changed before it. */
  readonly isFirst: boolean;
  /** The controller ran before the play: when its passes begin and what it remembers are unknown. */
  readonly ranBefore: boolean;
  /** When it started, if it ran before the play and its leader's Lease shows it. */
  readonly startedAt: number | undefined;
}

/** What is decided in a play, and when it may be done; epoch milliseconds. */
export interface ScheduledDecision<By extends string = ControllerId> {
  readonly decision: Decision<By>;
  /** When the play does it: in the first pass that does not come before. */
  readonly at: number;
  readonly from: number;
  /** Undefined: perhaps not at all. */
  readonly to: number | undefined;
  /** Others of its group decide with it. */
  readonly inGroup: boolean;
}

/** In milliseconds. */
export interface Passes {
  readonly period: number;
  /** From the controllers' start to the first pass that sees anything. */
  afterStart(startInterval: number): number;
}

interface ControllerFacts {
  readonly id: ControllerId;
  /** The controllers of kube-controller-manager that do it; none: another program does. */
  readonly controllers: readonly string[];
  /** Kinds that it decides by, as in `jobs.batch`. */
  readonly reads: readonly string[];
  /** Objects that look like a case for it but that no controller handles. */
  leftovers?(view: ClusterView, now: number): readonly Leftover[];
  /** Why it leaves this object on purpose, where that looks like a case for it. */
  kept?(view: ClusterView, object: ObjectRecord): Kept | undefined;
}

/** An object that a controller leaves by a limit of its user or by design. */
export interface Kept {
  readonly because: string;
  /** What its user can do to have it deleted. */
  readonly next: string;
  readonly rule: string;
}

/** An object that no controller ever deletes, although the object that it belongs to was deleted. */
export interface Leftover {
  readonly collector: ControllerId;
  readonly object: ObjectRecord;
  readonly because: string;
  readonly rule: string;
}

/**
 * What only a running controller has in memory, in epoch milliseconds. Each unknown value widens
 * the time range of a decision.
 */
export interface ControllerMemory {
  /** When the leading kube-controller-manager started its controllers. */
  readonly startedAt?: number;
  /** When a controller that works in passes began its last one. */
  readonly lastPasses?: ReadonlyMap<ControllerId, number>;
  /** Pod garbage collection: when the quarantine of a missing node ends, by the node's name (PG-12). */
  readonly quarantine?: ReadonlyMap<string, number>;
  /** Pod garbage collection: until when a missing node was there, by the node's name. */
  readonly lastSeen?: ReadonlyMap<string, number>;
  /** Taint eviction: when a pod's time is up, by its uid (NODE-8). */
  readonly evictions?: ReadonlyMap<string, number>;
}

/** Links that join objects if an object of one of these kinds has a name by them. */
export interface ControllerLinks {
  readonly kinds: readonly string[];
  readonly links: Links;
}

/** The names of an object: none if its kind has none. */
export function linkedNames(links: Links, record: ObjectRecord, by: SyncFacts): readonly string[] {
  return links[storedAs(record.type)]?.(record, by) ?? noNames;
}

const noNames: readonly string[] = Object.freeze([]);
