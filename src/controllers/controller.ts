import type { ObjectRecord } from '../kube/object-record.ts';
import type { ClusterView } from './cluster-view.ts';
import type { ControllerSettings } from './settings/controller-settings.ts';

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
  'legacy-serviceaccount-token-cleaner',
  'serviceaccount-token',
  'bootstrap-token-cleaner',
  'ephemeral-volume',
  'resourceclaim',
  'missing-node',
  'protection',
] as const;

export type ControllerId = (typeof controllerIds)[number];

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
export interface Decision extends Decided {
  readonly collector: ControllerId;
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

/** What decisions go by. */
export interface SyncInput {
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
  readonly runsAs: string;
  /** The kind of the objects that it processes, as in `jobs.batch`. */
  readonly syncs: string;
  sync(object: ObjectRecord, by: SyncInput): readonly Decision[];
}

/**
 * What one or more controllers clean up: pure, so that a simulation can run it on its own clock. A new rule is decided
 * here: about one object in a SyncController, about many that count for each other in a PassController.
 */
export type Controller = SyncedController | PassController;

export interface SyncedController extends ControllerFacts {
  readonly syncers: readonly SyncController[];
}

/** It decides about all objects of its kinds together, in the order in which it works; `now` in epoch milliseconds. */
export interface PassController extends ControllerFacts {
  pass(
    view: ClusterView,
    settings: ControllerSettings,
    now: number,
    memory?: ControllerMemory,
  ): readonly Decision[];
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
