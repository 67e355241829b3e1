import type { ClusterView } from '../../controllers/cluster-view.ts';
import type { ControllerId, Decision } from '../../controllers/controller.ts';
import type { ControllerSettings } from '../../controllers/settings/controller-settings.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { LinksOf } from '../engine/acting-records.ts';
import { type Cause, causeByDecision, type Gathered, type StepRange } from '../engine/causes.ts';
import type { Task } from '../engine/clock.ts';
import type { Change, ClusterState } from '../engine/cluster-state.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { Actor, CleanUpController } from '../engine/timeline.ts';
import { sendDecision } from './send-decision.ts';

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
  /** Which of these are a case as they are: of others a look before anything has changed would find nothing. Default: all. */
  startsWith?(record: ObjectRecord, settings: ControllerSettings): boolean;
  /** Does an object that goes make another one a case? */
  misses?(gone: ObjectRecord): boolean;
  /** Objects of one group are judged together, wherever they are. */
  groupOf?(record: ObjectRecord): string | undefined;
  /**
   * Keys of the cases that a write makes, and those of the case that is decided on. Default: the object, and its
   * group. What makes no case is no cause.
   */
  makes?(change: Change, state: ClusterState): readonly string[];
  madeBy?(decision: Decision): readonly string[];
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
  /** The same of the case that has one of these keys, if it has changed since that look. */
  sinceOf(keys: readonly string[]): number | undefined;
  /** The first look, and nothing has changed before it. */
  readonly isFirst: boolean;
  /**
   * The controller ran before the simulation: when its passes begin and what it remembers are
   * unknown.
   */
  readonly ranBefore: boolean;
  /** When it started, if it ran before the simulation and its leader's Lease shows it. */
  readonly startedAt: number | undefined;
}

/** What a look finds to do, and when it may be done: without a `to` perhaps not at all. */
export interface Due extends StepRange {
  readonly decision: Decision;
  /** When this run does it: in the first pass that does not come before; epoch milliseconds. */
  readonly at: number;
  /** Others of its group decide with it. */
  readonly inGroup: boolean;
}

/** Looks at the cluster once: what is due now, and what will be. */
export type Look = (
  view: ClusterView,
  settings: ControllerSettings,
  moment: Moment,
) => readonly Due[];

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
  abstract readonly collector: { readonly controller: Actor; readonly passes?: Passes | undefined };
  protected readonly context: RunContext;
  /** What it found to do, certain or not. */
  protected readonly found = new Map<string, Found>();
  /** By uid. */
  protected readonly doubtsAbout = new Map<string, readonly Doubt[]>();
  /** Clock times. */
  readonly #planned = new Map<string, number>();
  readonly #working = new Set<string>();

  constructor(context: RunContext) {
    this.context = context;
  }

  get doubts(): readonly Doubt[] {
    return [...this.doubtsAbout.values()].flat();
  }

  /** Joins objects that act on each other. */
  abstract get links(): LinksOf | undefined;

  get dues(): readonly Due[] {
    return [...this.found.values()].map(({ due }) => due);
  }

  /** What each due follows from, and when. */
  get decisions(): readonly Found[] {
    return [...this.found.values()];
  }

  /**
   * Works on something after `delay` milliseconds, unless that is planned for an earlier time. `again`: it is still
   * busy with it then.
   */
  protected plan(what: string, delay: number, work: () => Task<void>, again: () => void): void {
    const { clock } = this.context;
    const at = clock.now + delay;
    const planned = this.#planned.get(what);
    if (planned !== undefined && planned <= at) return;
    this.#planned.set(what, at);
    clock.after(delay, () => {
      if (this.#planned.get(what) !== at) return;
      this.#planned.delete(what);
      if (this.#working.has(what)) return again();
      this.#working.add(what);
      clock.start(work(), () => this.#working.delete(what));
    });
  }

  /** Does what is due now of what a certain look found, and looks again when the next of it is due. */
  protected *act(certain: readonly Due[], lookAgain: (at: number) => void): Task<void> {
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
  protected timeOf({ at, from }: Due): number {
    return this.context.isEarly ? Math.min(at, from) : at;
  }

  /** The first time counts, unless it was doubtful. */
  protected find(key: string, due: Due, cause: Cause | undefined): void {
    const before = this.found.get(key);
    if (before && !(isCertain(due) && !isCertain(before.due))) return;
    const { hasBacklog } = this.context.state.causes;
    const own = hasBacklog ? { ...due, ...this.rangeOf(due) } : due;
    this.found.set(key, { due, decision: causeByDecision(due, own, cause), isDone: false });
  }

  /** Controllers without passes act on events: their decision says until when. */
  protected rangeOf({ decision: { notAfter }, from, to }: Due): StepRange {
    if (this.collector.passes || to === undefined) return { from, to };
    return { from, to: notAfter === undefined ? undefined : Math.max(to, notAfter) };
  }

  protected abstract carryOut(due: Due): Task<void>;

  protected *send({ decision }: Due, key: string): Task<void> {
    const found = this.found.get(key);
    this.context.state.causes.carryOut(found?.decision);
    const written = yield* sendDecision(this.context, this.collector.controller, decision);
    if (found) found.isDone = true;
    const timing = this.timings.get(decision.object.uid);
    if (timing && written !== 'gone' && written.result !== 'refused') timing.done = true;
  }
}

export interface Found {
  readonly due: Due;
  readonly decision: Cause;
  isDone: boolean;
}

export function isCertain({ decision }: Due): boolean {
  return decision.confidence === 'certain';
}

export function doubtIn({ decision: { object, because }, at }: Due): Doubt {
  return { object, because, from: at };
}

/** When a controller makes its passes. */
export interface PassTimes {
  /** Epoch milliseconds of one of them. */
  readonly first: number;
  /** Only this run's choice: the controller had begun before the simulation. */
  readonly isGuess: boolean;
  /** When such a controller started, if its leader's Lease shows it. */
  readonly startedAt?: number | undefined;
}

/**
 * One controller during one run. It looks at the cluster only while there is something that could
 * be a case: at the start, when such an object comes or changes, and when the time has come for
 * what it found.
 */
export class PeriodicRun extends ControllerRun {
  readonly collector: PeriodicController;
  readonly reads: readonly string[];
  /** Has it judged objects as a group? */
  #judgesGroups = false;
  readonly #view: ClusterView;
  readonly #settings: ControllerSettings;
  readonly #times: PassTimes;
  readonly #look: Look;
  /** What its last request of a kind left of an object: asking again would change nothing. */
  readonly #settled = new Map<string, ObjectRecord>();
  /** What has made cases, by their keys, until it has led to a write. */
  readonly #makers = new Map<string, Gathered>();
  /** When each key was seen first since the last look. */
  readonly #changed = new Map<string, number>();
  #since: number | undefined;
  /** Has it neither looked nor seen a change? */
  #isFirst = true;

  constructor(
    collector: PeriodicController,
    context: RunContext,
    view: ClusterView,
    settings: ControllerSettings,
    times: PassTimes,
  ) {
    super(context);
    this.collector = collector;
    this.reads = collector.reads;
    this.#view = view;
    this.#settings = settings;
    this.#times = times;
    this.#look = collector.begin();
  }

  get links(): LinksOf | undefined {
    const { groupOf } = this.collector;
    if (!this.#judgesGroups || !groupOf) return undefined;
    return (record) => {
      const group = groupOf(record);
      return group === undefined ? [] : [group];
    };
  }

  start(): void {
    const { state } = this.context;
    const { collector } = this;
    for (const resource of collector.reads) {
      for (const record of state.ofResource(resource)) {
        if (record.uid === '' || !collector.concerns(record, state)) continue;
        if (collector.startsWith?.(record, this.#settings) === false) continue;
        this.#plan(Math.max(this.context.now(), this.#times.first));
        this.#since ??= this.context.now();
        return;
      }
    }
  }

  /** One of the objects that it reads was written. */
  see({ before, after }: Change): void {
    const { schedule, state } = this.context;
    const matters = after
      ? after.uid !== '' && this.collector.concerns(after, state)
      : before !== undefined && (this.collector.misses?.(before) ?? false);
    if (!matters) return;
    this.#isFirst = false;
    this.#since ??= this.context.now();
    this.#gather({ before, after });
    this.#plan(this.context.now() + schedule.watch());
  }

  #gather(change: Change): void {
    const { state } = this.context;
    const { causes } = state;
    const record = change.after ?? change.before;
    if (!record) return;
    const keys = this.collector.makes?.(change, state) ?? this.#keysOf(record);
    for (const key of keys) if (!this.#changed.has(key)) this.#changed.set(key, this.context.now());
    const by = causes.current?.cause?.decided as Due | undefined;
    // Its passes come one period after another: what one leaves to the next is in that one's range.
    if (by?.decision.collector === this.collector.id) return;
    for (const key of keys) {
      const maker = causes.gather(this.#makers.get(key), causes.current);
      if (maker) this.#makers.set(key, maker);
    }
  }

  /** In the first pass that is not before this time, unless another look comes earlier. */
  #plan(time: number): void {
    const { now } = this.context;
    const delay = Math.max(0, this.#passFrom(time) - now());
    const again = () => this.#plan(now() + 1);
    this.plan('a pass', delay, () => this.#work(), again);
  }

  #passFrom(time: number): number {
    const { first, isGuess } = this.#times;
    const period = this.collector.passes?.period;
    const isAnyTime = period === undefined || (isGuess && this.context.isEarly);
    if (isAnyTime || time <= first) return Math.max(time, first);
    return first + Math.ceil((time - first) / period) * period;
  }

  *#work(): Task<void> {
    const now = this.context.now();
    const { isGuess: ranBefore, startedAt } = this.#times;
    const since = this.#since ?? now;
    const changed = new Map(this.#changed);
    const sinceOf = (keys: readonly string[]) => {
      const times = keys.flatMap((key) => changed.get(key) ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    };
    const moment = { now, since, sinceOf, isFirst: this.#isFirst, ranBefore, startedAt };
    this.#since = undefined;
    this.#changed.clear();
    this.#isFirst = false;
    const found = this.#look(this.#view, this.#settings, moment).filter(
      ({ decision }) => this.#settled.get(keyOf(decision)) !== decision.object,
    );
    for (const due of found) {
      this.find(due.decision.object.uid, due, this.#causeOf(due));
      this.#judgesGroups ||= due.inGroup;
      if (!isCertain(due)) this.doubtsAbout.set(due.decision.object.uid, [doubtIn(due)]);
    }
    yield* this.act(found.filter(isCertain), (at) => this.#plan(at));
  }

  protected *carryOut(due: Due): Task<void> {
    const { decision } = due;
    yield* this.send(due, decision.object.uid);
    const left = this.context.state.current(decision.object);
    if (left) this.#settled.set(keyOf(decision), left);
  }

  /** What has made it a case. */
  #causeOf({ decision }: Due): Cause | undefined {
    let cause: Gathered | undefined;
    for (const key of this.collector.madeBy?.(decision) ?? this.#keysOf(decision.object))
      cause = this.context.state.causes.gather(cause, this.#makers.get(key));
    return cause;
  }

  #keysOf(record: ObjectRecord): readonly string[] {
    return [record.uid, this.collector.groupOf?.(record) ?? []].flat();
  }
}

/** One deletion is like another, while patches do different things. */
function keyOf({ object, action, rule }: Decision): string {
  return action === 'delete' ? object.uid : `${object.uid} ${rule}`;
}
