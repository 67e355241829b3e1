import type { ObjectRecord } from '../kube/object-record.ts';
import type { ClusterView } from './cluster-view.ts';
import type { ControllerId } from './controller-ids.ts';
import type { ControllerMemory } from './controller-memory.ts';
import type { ControllerSettings } from './settings/controller-settings.ts';

/** What a controller does with one object, and when. */
export interface Decision {
  readonly collector: ControllerId;
  readonly object: ObjectRecord;
  /** `delete` may send its `patch` first. */
  readonly action: 'delete' | 'patch';
  readonly patch?: PatchRequest;
  /** The DELETE's options. */
  readonly options?: DeletionOptions;
  /**
   * Epoch milliseconds. Earliest and latest moment; without a latest one, how long it takes is
   * unknown.
   */
  readonly notBefore: number;
  readonly notAfter: number | undefined;
  /** `likely` and `unknown` depend on facts that no snapshot shows; `because` names them. */
  readonly confidence: DecisionConfidence;
  readonly because: string;
  /** As in PG-16. */
  readonly rule: string;
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

/** What one or more controllers clean up, looking once: pure, so that a simulation can run it on its own clock. */
export interface Controller {
  readonly id: ControllerId;
  /** The controllers of kube-controller-manager that do it; none: another program does. */
  readonly controllers: readonly string[];
  /** Kinds that it decides by, as in `jobs.batch`. */
  readonly reads: readonly string[];
  /** In the order in which the controller works; `now` in epoch milliseconds. */
  decide(
    view: ClusterView,
    settings: ControllerSettings,
    now: number,
    memory?: ControllerMemory,
  ): readonly Decision[];
  /** Objects that look like a case for it but that no controller handles. */
  leftovers?(view: ClusterView, now: number): readonly Leftover[];
}

/** An object that no controller ever deletes, although what it belongs to is gone. */
export interface Leftover {
  readonly collector: ControllerId;
  readonly object: ObjectRecord;
  readonly because: string;
  readonly rule: string;
}
