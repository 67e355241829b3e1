import type { ObjectRecord } from '../kube/object-record.ts';
import type { CollectorSettings } from '../settings/collector-settings.ts';
import type { ClusterView } from './cluster-view.ts';
import type { CollectorId } from './collector-ids.ts';
import type { CollectorMemory } from './collector-memory.ts';

/** What a collector does with one object, and when. */
export interface Decision {
  readonly collector: CollectorId;
  readonly object: ObjectRecord;
  /** `delete` may send its `patch` first. */
  readonly action: 'delete' | 'patch';
  readonly patch?: PatchRequest;
  /** The DELETE's options. */
  readonly options?: DeleteOptions;
  /** Epoch milliseconds. Earliest and latest moment; no latest one: nobody knows how long it takes. */
  readonly notBefore: number;
  readonly notAfter: number | undefined;
  /** `likely` and `unknown` depend on what no snapshot shows; `because` says on what. */
  readonly confidence: Confidence;
  readonly because: string;
  /** As in PG-16. */
  readonly rule: string;
}

export type Confidence = 'certain' | 'likely' | 'unknown';

export interface DeleteOptions {
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
export interface Collector {
  readonly id: CollectorId;
  /** The controllers of kube-controller-manager that do it; none: another program does. */
  readonly controllers: readonly string[];
  /** Kinds that it decides by, as in `jobs.batch`. */
  readonly reads: readonly string[];
  /** In the order in which the controller works; `now` in epoch milliseconds. */
  decide(
    view: ClusterView,
    settings: CollectorSettings,
    now: number,
    memory?: CollectorMemory,
  ): readonly Decision[];
  /** What looks like a case for it and is nobody's. */
  leftovers?(view: ClusterView, now: number): readonly Leftover[];
}

/** An object that no controller ever collects, although what it stands for is gone. */
export interface Leftover {
  readonly collector: CollectorId;
  readonly object: ObjectRecord;
  readonly because: string;
  readonly rule: string;
}
