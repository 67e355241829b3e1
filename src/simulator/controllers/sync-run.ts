import { type IndexKind, indexKind } from '../../controllers/cluster-view.ts';
import {
  type Change,
  type ControllerId,
  type Decision,
  linkedNames,
  type ScheduledDecision,
  type SyncController,
  type SyncedController,
  type SyncFacts,
  type SyncInput,
} from '../../controllers/controller.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import type { LinksOf } from '../engine/acting-records.ts';
import type { Gathered } from '../engine/causes.ts';
import type { Task } from '../engine/clock.ts';
import type { RunContext } from '../engine/run-context.ts';
import { type Outcome, WorkQueue } from '../engine/work-queue.ts';
import { ControllerRun, doubtIn, isCertain } from './controller-run.ts';

/** An event-driven controller: it processes one object at a time, whenever an object that it watches changes. */
export interface SimulatedSync extends SyncController {
  readonly id: ControllerId;
  readonly watches: readonly string[];
  /** Not one of kube-controller-manager: `--controllers` does not turn it off. */
  readonly isElsewhere: boolean;
  /** Its objects by their `keys`. */
  readonly index: IndexKind;
}

/** The controllers that a simulation runs of those that clean up together. */
export function simulatedSyncs({
  id,
  controllers,
  reads,
  syncers,
}: SyncedController): SimulatedSync[] {
  return syncers.map((one) => {
    const { syncs, keys, watches = reads } = one;
    return {
      ...one,
      id,
      watches,
      isElsewhere: controllers.length === 0,
      index: indexKind(syncs, keys?.[syncs] ?? noKeys),
    };
  });
}

/**
 * The objects to sync because of a write, beside the written one.
 * @internal
 */
export function affectedBy(
  { affectedBy: affected, keys, triggers, syncs, index }: SimulatedSync,
  change: Change,
  by: SyncFacts,
): readonly (ObjectRecord | undefined)[] {
  if (affected) return affected(change, by);
  const record = change.after ?? change.before;
  if (!keys || !record || storedAs(record.type) === syncs) return noDecisions;
  if (triggers?.(change) === false) return noDecisions;
  return linkedNames(keys, record, by).flatMap((name) => by.view.index(index).get(name));
}

interface Item {
  readonly record: ObjectRecord;
  readonly isFirst: boolean;
}

const noDecisions: readonly never[] = Object.freeze([]);
const noKeys = () => noDecisions;

/** One controller that works on events, during one run. */
export class SyncRun extends ControllerRun {
  readonly controller: SimulatedSync;
  /** Has it found anything to do, or processed anything that changed? */
  #mattered = false;
  readonly #by: Omit<SyncInput, 'now' | 'trigger'>;
  readonly #ranBefore: boolean;
  /** What has led it to process an object, by its uid, since it last found something to do. */
  readonly #reasons = new Map<string, Gathered>();
  /** What is to be processed, by its uid. */
  readonly #items = new Map<string, Item>();
  readonly #queue: WorkQueue<string>;

  constructor(
    controller: SimulatedSync,
    context: RunContext,
    by: Omit<SyncInput, 'now' | 'trigger'>,
    ranBefore: boolean,
  ) {
    super(context);
    this.controller = controller;
    this.#by = by;
    this.#ranBefore = ranBefore;
    this.#queue = new WorkQueue({ clock: context.clock, work: (uid) => this.#work(uid) });
  }

  get links(): LinksOf | undefined {
    const { links, decidesByAbsence } = this.controller;
    return (this.#mattered || decidesByAbsence) && links
      ? (record) => linkedNames(links, record, this.#by)
      : undefined;
  }

  start(pause: number): void {
    const { syncs, isIdleAtStart } = this.controller;
    if (isIdleAtStart) return;
    for (const record of this.context.state.ofResource(syncs)) {
      if (this.#needsSync(record)) this.#plan({ record, isFirst: true }, pause);
    }
  }

  /** One of the objects that it watches was written. */
  see(change: Change): void {
    const { after } = change;
    const { schedule } = this.context;
    const { syncs, delay = 0 } = this.controller;
    if (after && storedAs(after.type) === syncs && this.#needsSync(after)) {
      this.#plan({ record: after, isFirst: false }, schedule.watch() + delay);
    }
    for (const record of affectedBy(this.controller, change, this.#by)) {
      if (record && this.#needsSync(record))
        this.#plan({ record, isFirst: false }, schedule.watch());
    }
  }

  #needsSync(record: ObjectRecord): boolean {
    return record.uid !== '' && this.controller.needsSync?.(record, this.#by) !== false;
  }

  #plan(item: Item, delay: number): void {
    const { uid } = item.record;
    const { causes } = this.context.state;
    const reason = causes.gather(this.#reasons.get(uid), causes.current);
    if (reason) this.#reasons.set(uid, reason);
    if (this.#queue.addAfter(uid, delay)) this.#items.set(uid, item);
  }

  *#work(uid: string): Task<Outcome> {
    const item = this.#items.get(uid);
    const live = item && this.context.state.current(item.record);
    this.doubtsAbout.delete(uid);
    if (!live) return 'forget';
    const { record, isFirst } = item;
    const now = this.context.now();
    const isSettled = isFirst && this.#ranBefore;
    const trigger = isSettled ? 'settled' : isFirst ? 'start' : 'change';
    const isRange = this.controller.takesUntilLatest || isSettled;
    const dues = this.controller
      .sync(live, { ...this.#by, now, trigger })
      .map((decision) => dueOf(decision, isRange));
    this.#mattered ||= !isFirst || dues.length > 0;
    if (dues.length === 0) return 'forget';
    const doubts = dues.filter((due) => !isCertain(due)).map(doubtIn);
    if (doubts.length > 0) this.doubtsAbout.set(record.uid, doubts);
    const reason = this.#reasons.get(record.uid);
    for (const due of dues) this.find(due, () => reason);
    if (dues.some(isCertain)) this.#reasons.delete(record.uid);
    const { causes } = this.context.state;
    const processAgain = (at: number) =>
      causes.within(undefined, () => this.#plan({ record: live, isFirst }, at - now));
    // What is likely before its time is known when that has come.
    const later = dues.filter(({ decision, at }) => decision.confidence === 'likely' && at > now);
    if (later.length > 0) processAgain(Math.min(...later.map(({ at }) => at)));
    yield* this.act(dues.filter(isCertain), processAgain);
    return 'forget';
  }

  protected keyOf({ decision: { object, action, rule } }: ScheduledDecision): string {
    return `${object.uid} ${action} ${rule}`;
  }
}

/** An object that existed before the simulation is seen at an unknown time; all others are seen immediately. */
function dueOf(decision: Decision, isRange: boolean): ScheduledDecision {
  const { notBefore: from } = decision;
  const notAfter = isRange ? decision.notAfter : from;
  return { decision: { ...decision, notAfter }, at: from, from, to: notAfter, inGroup: false };
}
