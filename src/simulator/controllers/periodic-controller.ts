import type { ClusterView } from '../../controllers/cluster-view.ts';
import type { Decision } from '../../controllers/controller.ts';
import type { ControllerId } from '../../controllers/controller-ids.ts';
import type { ControllerSettings } from '../../controllers/settings/controller-settings.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ClusterState } from '../engine/cluster-state.ts';
import type { CleanUpController } from '../engine/timeline.ts';

/** A controller that runs on the clock of a simulation. */
export interface PeriodicController {
  readonly id: ControllerId;
  /** As `--controllers` and the steps call it. */
  readonly controller: CleanUpController | 'kube-apiserver';
  /** Not one of kube-controller-manager: `--controllers` does not turn it off. */
  readonly isElsewhere?: boolean;
  /** Kinds that it decides by, as in `jobs.batch`. */
  readonly reads: readonly string[];
  /** Undefined: it works on events, and by the times that it finds. */
  readonly passes: Passes | undefined;
  /**
   * Could this object be, or make another one, a case: now or later? Its looks begin with the first
   * such object.
   */
  concerns(record: ObjectRecord, state: ClusterState): boolean;
  /** Does an object that goes make another one a case? */
  misses?(gone: ObjectRecord): boolean;
  /** Objects of one group are judged together, wherever they are. */
  groupOf?(record: ObjectRecord): string | undefined;
  /** Each run starts with an empty memory. */
  begin(): Look;
}

/** In milliseconds. */
export interface Passes {
  readonly period: number;
  /** From the controllers' start to the first pass that sees anything. */
  afterStart(startInterval: number): number;
}

export interface Moment {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Since when something may be a case that was none at the last look. */
  readonly since: number;
  /** By uid: when an object became a case, of those that did during the simulation. */
  readonly becameCase: ReadonlyMap<string, number>;
  /**
   * The controller ran before the simulation: when its passes begin and what it remembers are
   * unknown.
   */
  readonly ranBefore: boolean;
  /** When it began, if it ran before the simulation and its leader's Lease tells. */
  readonly startedAt: number | undefined;
}

/** What a look finds to do; times in epoch milliseconds. */
export interface Due {
  readonly decision: Decision;
  /** When this run does it: in the first pass that does not come before. */
  readonly at: number;
  /** The range in which it may be done: not before, and not later than. */
  readonly from: number;
  /** Undefined: it may not be done at all. */
  readonly to: number | undefined;
  /** Others of its group decide with it. */
  readonly inGroup: boolean;
}

/** Looks at the cluster once: what is due now, and what will be. */
export type Look = (
  view: ClusterView,
  settings: ControllerSettings,
  moment: Moment,
) => readonly Due[];
