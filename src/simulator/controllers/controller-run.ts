import type { ScheduledDecision } from '../../controllers/controller.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { LinksOf } from '../engine/acting-records.ts';
import { type Cause, causeByDecision, type StepRange } from '../engine/causes.ts';
import type { Task } from '../engine/clock.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { Actor } from '../engine/timeline.ts';
import { sendDecision } from './send-decision.ts';

/** What was, or is to be, done with an object at a time that is not known exactly. */
export interface Timing extends StepRange {
  readonly object: ObjectRecord;
  /** This run did it. */
  done: boolean;
}

/** Something that may be done with an object, and why that is uncertain. */
export interface Doubt {
  readonly object: ObjectRecord;
  readonly because: string;
  /** Epoch milliseconds: not before this. */
  readonly from: number;
}

/** What one controller found to do and did during one run. */
export abstract class ControllerRun {
  /** By uid. */
  readonly timings = new Map<string, Timing>();
  abstract readonly controller: { readonly runsAs: Actor; readonly passes?: object | undefined };
  protected readonly context: RunContext;
  /** What it found to do, certain or not. */
  protected readonly found = new Map<string, Found>();
  /** By uid. */
  protected readonly doubtsAbout = new Map<string, readonly Doubt[]>();

  constructor(context: RunContext) {
    this.context = context;
  }

  get doubts(): readonly Doubt[] {
    return [...this.doubtsAbout.values()].flat();
  }

  /** Joins objects that act on each other. */
  abstract get links(): LinksOf | undefined;

  get dues(): readonly ScheduledDecision[] {
    return [...this.found.values()].map(({ due }) => due);
  }

  /** What each due follows from, and when. */
  get decisions(): readonly Found[] {
    return [...this.found.values()];
  }

  /** Does what is due now of what a certain look found, and looks again when the next of it is due. */
  protected *act(
    certain: readonly ScheduledDecision[],
    lookAgain: (at: number) => void,
  ): Task<void> {
    const now = this.context.now();
    let next: number | undefined;
    for (const due of certain) {
      const { decision, from, to } = due;
      const { object } = decision;
      const at = this.timeOf(due);
      if (from !== to && !this.timings.has(object.uid)) {
        this.timings.set(object.uid, { object, from, to, done: false });
      }
      if (at > now && (next === undefined || at < next)) next = at;
    }
    if (next !== undefined) lookAgain(next);
    for (const due of certain) if (this.timeOf(due) <= now) yield* this.carryOut(due);
  }

  /** When this run does it. */
  protected timeOf({ at, from }: ScheduledDecision): number {
    return this.context.isEarly ? Math.min(at, from) : at;
  }

  /** The first time counts, unless it was doubtful. */
  protected find(key: string, due: ScheduledDecision, cause: Cause | undefined): void {
    const before = this.found.get(key);
    if (before && !(isCertain(due) && !isCertain(before.due))) return;
    const { hasBacklog } = this.context.state.causes;
    const own = hasBacklog ? { at: due.at, ...this.rangeOf(due) } : due;
    this.found.set(key, { due, decision: causeByDecision(due, own, cause), isDone: false });
  }

  /** Controllers without passes act on events: their decision says until when. */
  protected rangeOf({ decision: { notAfter }, from, to }: ScheduledDecision): StepRange {
    if (this.controller.passes || to === undefined) return { from, to };
    return { from, to: notAfter === undefined ? undefined : Math.max(to, notAfter) };
  }

  protected abstract carryOut(due: ScheduledDecision): Task<void>;

  protected *send({ decision }: ScheduledDecision, key: string): Task<void> {
    const found = this.found.get(key);
    this.context.state.causes.carryOut(found?.decision);
    const written = yield* sendDecision(this.context, this.controller.runsAs, decision);
    if (found) found.isDone = true;
    const timing = this.timings.get(decision.object.uid);
    if (timing && written !== 'gone' && written.result !== 'refused') timing.done = true;
  }
}

export interface Found {
  readonly due: ScheduledDecision;
  readonly decision: Cause;
  isDone: boolean;
}

export function isCertain({ decision }: ScheduledDecision): boolean {
  return decision.confidence === 'certain';
}

export function doubtIn({ decision: { object, because }, at }: ScheduledDecision): Doubt {
  return { object, because, from: at };
}
