import type { ScheduledDecision } from '../controllers/controller.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { ObjectReference } from '../kube/object-reference.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import type { Reply } from './api-server/request.ts';
import type { Found } from './controllers/controller-run.ts';
import type { RecordedStep, Step } from './engine/timeline.ts';
import type { Undetermined } from './engine/undetermined.ts';
import type { Stuck } from './stuck-objects.ts';

/** A warning that the garbage collector writes about a reference into another namespace (GC-46). */
export interface SimulatedEvent {
  readonly type: 'Warning';
  readonly reason: 'OwnerRefInvalidNamespace';
  readonly message: string;
  /** The dependent. */
  readonly involvedObject: ObjectReference;
  /** False when it is written in some orders of events only. */
  readonly certain: boolean;
}

export interface SimulatedReply extends Reply {
  /** Present where another order of events gives another answer. */
  readonly certain?: false;
}

/**
 * quiet: nothing more happens. stuck: likewise, with deletions unfinished. deadline: time was up.
 * endless: controllers went on and on, so that nothing is certain.
 */
type SimulationEnd = 'quiet' | 'stuck' | 'deadline' | 'endless';

/** What happened, without the objects that are left. */
export interface SimulatedCourse {
  /** One for each request that was sent: none for those that the deadline came before. */
  readonly replies: readonly SimulatedReply[];
  /** Every write, in the order of time. */
  readonly steps: readonly Step[];
  readonly events: readonly SimulatedEvent[];
  /** Objects whose end depends on an uncontrolled order of events, and only those. */
  readonly undetermined: readonly Undetermined[];
  /** Objects that cannot be judged, because something about their owners could not be read. */
  readonly unknown: readonly Undetermined[];
  /** Objects whose deletion does not end, and their blockers. */
  readonly stuck: readonly Stuck[];
  readonly ended: SimulationEnd;
}

/** What one play wrote and found to do, and when. */
export interface Course {
  /** Every write, in the order of time. */
  readonly recorded: readonly RecordedStep[];
  /** What the controllers other than the garbage collector found to do, and what that follows from. */
  readonly decisions: readonly Found[];
}

/** A simulation without what is only spelled when somebody asks. */
interface Outcome extends Course {
  readonly replies: readonly SimulatedReply[];
  /** Every object that is left of what was played. */
  readonly objects: readonly ObjectRecord[];
  readonly undetermined: readonly Undetermined[];
  readonly unknown: readonly Undetermined[];
  readonly ended: SimulationEnd;
  /** What in the input contradicts itself and was left out. */
  readonly problems: readonly CoverageProblem[];
  /** What the controllers other than the garbage collector found to do, and when they may do it. */
  readonly dues: readonly ScheduledDecision<string>[];
  /** What may be done by the end, and follows from what this play does later. */
  readonly early: Course | undefined;
}

/** What is made when somebody asks. */
interface MadeLater {
  readonly steps: () => readonly Step[];
  readonly events: () => readonly SimulatedEvent[];
  readonly stuck: () => readonly Stuck[];
}

/**
 * What became of a cluster. A class: V8 collects late what accessors of an object literal close over, and a plan takes hundreds of
 * plays.
 */
export class Simulation implements SimulatedCourse, Outcome {
  readonly replies: Outcome['replies'];
  readonly objects: Outcome['objects'];
  readonly undetermined: Outcome['undetermined'];
  readonly unknown: Outcome['unknown'];
  readonly ended: Outcome['ended'];
  readonly problems: Outcome['problems'];
  readonly dues: Outcome['dues'];
  readonly recorded: Outcome['recorded'];
  readonly decisions: Outcome['decisions'];
  readonly early: Outcome['early'];
  readonly #later: MadeLater;
  #steps: readonly Step[] | undefined;
  #stuck: readonly Stuck[] | undefined;

  constructor(outcome: Outcome, later: MadeLater) {
    this.replies = outcome.replies;
    this.objects = outcome.objects;
    this.undetermined = outcome.undetermined;
    this.unknown = outcome.unknown;
    this.ended = outcome.ended;
    this.problems = outcome.problems;
    this.dues = outcome.dues;
    this.recorded = outcome.recorded;
    this.decisions = outcome.decisions;
    this.early = outcome.early;
    this.#later = later;
  }

  get steps(): readonly Step[] {
    this.#steps ??= this.#later.steps();
    return this.#steps;
  }

  get events(): readonly SimulatedEvent[] {
    return this.#later.events();
  }

  get stuck(): readonly Stuck[] {
    this.#stuck ??= this.#later.stuck();
    return this.#stuck;
  }

  /** The same, with more that is open. */
  with(open: Partial<Pick<Outcome, 'dues' | 'undetermined'>>): Simulation {
    return new Simulation({ ...this, ...open }, this.#later);
  }
}
