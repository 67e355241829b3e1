import type { ClusterView } from '../../controllers/cluster-view.ts';
import type {
  Change,
  Decision,
  Pass,
  PassController,
  ScheduledDecision,
} from '../../controllers/controller.ts';
import { passFrom } from '../../controllers/decision.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ControllerSettings } from '../../settings/controller-settings.ts';
import type { LinksOf } from '../engine/acting-records.ts';
import type { Cause, Gathered } from '../engine/causes.ts';
import type { Task } from '../engine/clock.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { Actor } from '../engine/timeline.ts';
import { type Outcome, WorkQueue } from '../engine/work-queue.ts';
import { ControllerRun, doubtIn, isCertain } from './controller-run.ts';

/** A controller that looks at all objects of its kinds, in passes or at times that it knows in advance. */
export interface SimulatedPass extends PassController {
  readonly runsAs: Actor;
  /** Not one of kube-controller-manager: `--controllers` does not turn it off. */
  readonly isElsewhere: boolean;
  begin(): Pass;
}

export function simulatedPass(controller: PassController): SimulatedPass {
  const [runsAs = 'kube-apiserver'] = controller.controllers as readonly Actor[];
  const isElsewhere = controller.controllers.length === 0;
  return {
    ...controller,
    runsAs,
    isElsewhere,
    begin: () => controller.begin?.() ?? passOf(controller),
  };
}

/** A controller that remembers only the time of its last pass, which the clock has: it makes one `now`. */
function passOf({ passes, pass }: PassController): Pass {
  return (view, settings, { now, since, ranBefore }) =>
    pass(view, settings, now).map((decision) => {
      const due = decision.notBefore;
      const waits = passes !== undefined && !ranBefore && due > now;
      const at = waits ? passFrom(due, now, passes.period) : due;
      if (!passes || !ranBefore) return { decision, at, from: at, to: at, inGroup: true };
      const from = at > now ? at : since;
      return { decision, at, from, to: from + passes.period, inGroup: true };
    });
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
export class PassRun extends ControllerRun {
  readonly controller: SimulatedPass;
  /** Has it judged objects as a group? */
  #judgesGroups = false;
  readonly #view: ClusterView;
  readonly #settings: ControllerSettings;
  readonly #times: PassTimes;
  readonly #pass: Pass;
  /** What its last request of a kind left of an object: asking again would change nothing. */
  readonly #settled = new Map<string, ObjectRecord>();
  /** What has made cases, by their keys, until it has led to a write. */
  readonly #makers = new Map<string, Gathered>();
  /** When each key was seen first since the last look. */
  #changed = new Map<string, number>();
  #since: number | undefined;
  readonly #queue: WorkQueue<'pass'>;
  /** Has it neither looked nor seen a change? */
  #isFirst = true;

  constructor(
    controller: SimulatedPass,
    context: RunContext,
    view: ClusterView,
    settings: ControllerSettings,
    times: PassTimes,
  ) {
    super(context);
    this.controller = controller;
    this.#view = view;
    this.#settings = settings;
    this.#times = times;
    this.#pass = controller.begin();
    const { clock } = context;
    this.#queue = new WorkQueue({
      clock,
      work: () => this.#work(),
      take: (_, run) => {
        const delay = this.#untilPass(context.now());
        if (delay > 0) clock.after(delay, run);
        else run();
      },
    });
  }

  get links(): LinksOf | undefined {
    const { groupOf } = this.controller;
    if (!this.#judgesGroups || !groupOf) return undefined;
    return (record) => {
      const group = groupOf(record);
      return group === undefined ? [] : [group];
    };
  }

  start(): void {
    const { state } = this.context;
    const { controller } = this;
    for (const resource of controller.reads) {
      for (const record of state.ofResource(resource)) {
        if (!this.#needsPass(record)) continue;
        if (controller.isDueAtStart?.(record, this.#settings) === false) continue;
        this.#plan(Math.max(this.context.now(), this.#times.first));
        this.#since ??= this.context.now();
        return;
      }
    }
  }

  /** One of the objects that it reads was written. */
  see({ before, after }: Change): void {
    const { schedule } = this.context;
    const matters = after
      ? this.#needsPass(after)
      : before && this.controller.triggersOnDelete?.(before);
    if (!matters) return;
    this.#isFirst = false;
    this.#since ??= this.context.now();
    this.#gather({ before, after });
    this.#plan(this.context.now() + schedule.watch());
  }

  #needsPass(record: ObjectRecord): boolean {
    return record.uid !== '' && this.controller.needsPass?.(record, this.#view) !== false;
  }

  #gather(change: Change): void {
    const { causes } = this.context.state;
    const record = change.after ?? change.before;
    if (!record) return;
    const keys = this.controller.casesBy?.(change, this.#view) ?? this.#keysOf(record);
    for (const key of keys) if (!this.#changed.has(key)) this.#changed.set(key, this.context.now());
    const by = causes.current?.cause?.decided as ScheduledDecision | undefined;
    // Its passes come one period after another: what one leaves to the next is in that one's range.
    if (by?.decision.collector === this.controller.id) return;
    for (const key of keys) {
      const maker = causes.gather(this.#makers.get(key), causes.current);
      if (maker) this.#makers.set(key, maker);
    }
  }

  /** In the first pass that is not before this time, unless another look comes earlier. */
  #plan(time: number): void {
    this.#queue.addAfter('pass', this.#untilPass(time));
  }

  /** Milliseconds from now. */
  #untilPass(time: number): number {
    const { first, isGuess } = this.#times;
    const period = this.controller.passes?.period;
    const isAnyTime = period === undefined || (isGuess && this.context.isEarly);
    const pass = isAnyTime ? Math.max(time, first) : passFrom(time, first, period);
    return Math.max(0, pass - this.context.now());
  }

  *#work(): Task<Outcome> {
    const now = this.context.now();
    const { isGuess: ranBefore, startedAt } = this.#times;
    const since = this.#since ?? now;
    const changed = this.#changed;
    const sinceOf = (keys: readonly string[]) => {
      if (changed.size === 0) return undefined;
      const times = keys.flatMap((key) => changed.get(key) ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    };
    const context = { now, since, sinceOf, isFirst: this.#isFirst, ranBefore, startedAt };
    this.#since = undefined;
    this.#changed = new Map();
    this.#isFirst = false;
    const found = this.#pass(this.#view, this.#settings, context).filter(
      ({ decision }) => this.#settled.get(decisionKey(decision)) !== decision.object,
    );
    const causeOf = (due: ScheduledDecision) => this.#causeOf(due);
    for (const due of found) {
      this.find(due, causeOf);
      this.#judgesGroups ||= due.inGroup;
      if (!isCertain(due)) this.doubtsAbout.set(due.decision.object.uid, [doubtIn(due)]);
    }
    yield* this.act(found.filter(isCertain), (at) => this.#plan(at));
    return 'forget';
  }

  protected keyOf({ decision }: ScheduledDecision): string {
    return decision.object.uid;
  }

  protected override sent({ decision }: ScheduledDecision): void {
    const left = this.context.state.current(decision.object);
    if (left) this.#settled.set(decisionKey(decision), left);
  }

  /** What has made it a case. */
  #causeOf({ decision }: ScheduledDecision): Cause | undefined {
    if (this.#makers.size === 0) return undefined;
    let cause: Gathered | undefined;
    for (const key of this.controller.caseOf?.(decision) ?? this.#keysOf(decision.object))
      cause = this.context.state.causes.gather(cause, this.#makers.get(key));
    return cause;
  }

  #keysOf(record: ObjectRecord): readonly string[] {
    const group = this.controller.groupOf?.(record);
    return group === undefined ? [record.uid] : [record.uid, group];
  }
}

/** One deletion is like another, while patches do different things. */
function decisionKey({ object, action, rule }: Decision): string {
  return action === 'delete' ? object.uid : `${object.uid} ${rule}`;
}
