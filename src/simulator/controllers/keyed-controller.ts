import type { ClusterView } from '../../controllers/cluster-view.ts';
import type {
  ControllerId,
  Decision,
  SyncController,
  SyncedController,
} from '../../controllers/controller.ts';
import type { ControllerSettings } from '../../controllers/settings/controller-settings.ts';
import { controllerUidOf, type ObjectRecord } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import type { LinksOf } from '../engine/acting-records.ts';
import type { Gathered } from '../engine/causes.ts';
import type { Task } from '../engine/clock.ts';
import type { Change, ClusterState } from '../engine/cluster-state.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { Actor } from '../engine/timeline.ts';
import type { FreedObjects } from './freed-objects.ts';
import type { Indexes, IndexKind } from './indexes.ts';
import { ControllerRun, type Due, doubtIn, isCertain } from './periodic-controller.ts';

/**
 * An event-driven controller: it processes one object at a time, whenever an object that it watches
 * changes.
 */
export interface KeyedController {
  readonly id: ControllerId;
  readonly controller: Actor;
  readonly passes?: undefined;
  /** Not one of kube-controller-manager: `--controllers` does not turn it off. */
  readonly isElsewhere?: boolean;
  /** Kinds of the objects that it works through, as in `jobs.batch`. */
  readonly kinds: readonly string[];
  /** Kinds of all that it decides by. */
  readonly reads: readonly string[];
  /** Those of its kinds that are there at the start, where others need not be asked about. */
  present?(cluster: Cluster): Iterable<ObjectRecord>;
  /** Could it have anything to do with this object of its kinds? It is asked often and must be cheap. */
  concerns(record: ObjectRecord, cluster: Cluster): boolean;
  /** Other objects of its kinds to look at because this one was written. */
  affected?(change: Change, cluster: Cluster): readonly (ObjectRecord | undefined)[];
  decide(record: ObjectRecord, cluster: Cluster, occasion: Occasion): readonly Decision[];
  /** Milliseconds that it waits after a write to one of its objects. */
  readonly pause?: number;
  /** Its decisions may take until their latest moment even if it sees their cause immediately. */
  readonly rangesHold?: true;
  readonly links?: Links;
}

/**
 * By kind, as in `jobs.batch`, names of an object of it: objects that share one act on each other, as far as one of those
 * that the controller works through has it.
 */
export type Links = Readonly<
  Record<string, (record: ObjectRecord, cluster: LinkSources) => readonly string[]>
>;

/** Whom a controller joins, and the kinds of the objects that it works through. */
export interface ControllerLinks extends Pick<KeyedController, 'kinds'> {
  readonly links: Links;
}

/** The names of objects of all kinds. */
export function linksIn(links: Links, cluster: LinkSources): LinksOf {
  return (record) => links[storedAs(record.type)]?.(record, cluster) ?? none;
}

const none: readonly never[] = Object.freeze([]);

/** By what a controller finds the objects that act on each other. */
export type LinkSources = Pick<Cluster, 'state' | 'indexes' | 'freed'>;

/** What a controller knows of the cluster. */
export interface Cluster {
  readonly state: ClusterState;
  readonly view: ClusterView;
  readonly indexes: Indexes;
  readonly settings: ControllerSettings;
  /** When the controllers started, if known; epoch milliseconds. */
  readonly startedAt: number | undefined;
  /** Taint eviction: when a pod's time is up, by its uid. */
  readonly evictions: Map<string, number>;
  /**
   * Pods that workloads have lost, as they were: by the workload's uid, and their own. Undefined: a suspended Job deletes
   * the pod itself, and does not count it (deleteJobPods, pkg/controller/job/job_controller.go).
   */
  readonly lostPods: Map<string, Map<string, ObjectRecord | undefined>>;
  /** Does somebody delete it besides? Whose deletion is first is open. */
  isRequested(record: ObjectRecord): boolean;
  /** What has lost its controller. */
  readonly freed: FreedObjects;
}

/** Takes note of a pod that a workload loses, as it is before its deletion. `isNews`: as it has ended since. */
export function noteLoss(
  { lostPods }: Cluster,
  { uid }: ObjectRecord,
  pod: ObjectRecord,
  isNews = false,
): void {
  const known = lostPods.get(uid) ?? new Map<string, ObjectRecord | undefined>();
  const isOpen = isNews && known.get(pod.uid) !== undefined;
  if (isOpen || !known.has(pod.uid)) lostPods.set(uid, known.set(pod.uid, pod));
}

export interface Occasion {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Nothing has changed: the controller starts, or it ran before the simulation. */
  readonly isFirst: boolean;
  /** It ran before the simulation. */
  readonly ranBefore: boolean;
}

type Lists = Readonly<Record<string, readonly ObjectRecord[]>>;

/** A view in which `lists` replace those that would be slow to build. */
export function withLists(view: ClusterView, lists: Lists): ClusterView {
  return {
    ...view,
    all: (resource) => lists[resource] ?? view.all(resource),
    in: (resource, namespace) => lists[resource] ?? view.in(resource, namespace),
    controlledBy: (resource, object) =>
      lists[resource]?.filter((one) => controllerUidOf(one) === object.uid) ??
      view.controlledBy(resource, object),
  };
}

/** What a controller decides about one object; of some kinds only what `listsOf` gives counts for that. */
export function syncedBy(
  { sync }: SyncController,
  listsOf?: (record: ObjectRecord, cluster: Cluster) => Lists,
): KeyedController['decide'] {
  return (record, cluster, { now, isFirst, ranBefore }) => {
    const { settings } = cluster;
    const view = listsOf ? withLists(cluster.view, listsOf(record, cluster)) : cluster.view;
    const trigger = isFirst ? (ranBefore ? 'settled' : 'start') : 'change';
    return sync(record, { view, settings, now, trigger });
  };
}

interface Wiring extends Partial<KeyedController> {
  readonly concerns: KeyedController['concerns'];
  /** By kind, those that count for a decision. */
  readonly listsOf?: (record: ObjectRecord, cluster: Cluster) => Lists;
}

/** What a controller says of itself, and decides; `wiring` says when, and of which objects. */
export function keyed(
  { id, reads, syncers }: Pick<SyncedController, 'id' | 'reads' | 'syncers'>,
  { listsOf, ...wiring }: Wiring,
  syncer = syncers[0],
): KeyedController {
  if (!syncer) throw new Error(`${id} decides about no object alone`);
  const controller = syncer.runsAs as Actor;
  return {
    id,
    controller,
    kinds: [syncer.syncs],
    reads,
    decide: syncedBy(syncer, listsOf),
    ...wiring,
  };
}

/** Looks at the objects of an index by the names that an object of another kind has in `links`, whenever that is written. */
export function affectedByName(
  index: IndexKind,
  links: Links,
): NonNullable<KeyedController['affected']> {
  return ({ before, after }, cluster) => {
    const record = after ?? before;
    if (!record || storedAs(record.type) === index.resource) return [];
    return linksIn(links, cluster)(record).flatMap((name) => cluster.indexes.of(index).get(name));
  };
}

interface Item {
  readonly record: ObjectRecord;
  readonly isFirst: boolean;
}

/** One controller that works on events, during one run: a queue of the objects that it is to look at. */
export class KeyedRun extends ControllerRun {
  readonly collector: KeyedController;
  readonly reads: readonly string[];
  /** Has it found anything to do, or looked at anything that changed? */
  #mattered = false;
  readonly #cluster: Cluster;
  readonly #ranBefore: boolean;
  readonly #kinds: ReadonlySet<string>;
  /** What has led it to look at an object, by its uid, since it last found something to do. */
  readonly #reasons = new Map<string, Gathered>();

  constructor(
    collector: KeyedController,
    context: RunContext,
    cluster: Cluster,
    ranBefore: boolean,
  ) {
    super(context);
    this.collector = collector;
    this.reads = collector.reads;
    this.#cluster = cluster;
    this.#ranBefore = ranBefore;
    this.#kinds = new Set(collector.kinds);
  }

  get links(): LinksOf | undefined {
    const { links } = this.collector;
    return this.#mattered && links ? linksIn(links, this.#cluster) : undefined;
  }

  start(pause: number): void {
    const { state } = this.#cluster;
    const all = () => this.collector.kinds.flatMap((kind) => state.ofResource(kind));
    for (const record of this.collector.present?.(this.#cluster) ?? all()) {
      if (this.#concerns(record)) this.#plan({ record, isFirst: true }, pause);
    }
  }

  /** One of the objects that it reads was written. */
  see(change: Change): void {
    const { after } = change;
    const { schedule } = this.context;
    if (after && this.#kinds.has(storedAs(after.type)) && this.#concerns(after)) {
      const { pause = 0 } = this.collector;
      this.#plan({ record: after, isFirst: false }, schedule.watch() + pause);
    }
    for (const record of this.collector.affected?.(change, this.#cluster) ?? none) {
      if (record && this.#concerns(record))
        this.#plan({ record, isFirst: false }, schedule.watch());
    }
  }

  #concerns(record: ObjectRecord): boolean {
    return record.uid !== '' && this.collector.concerns(record, this.#cluster);
  }

  #plan(item: Item, delay: number): void {
    const { uid } = item.record;
    const { causes } = this.context.state;
    const reason = causes.gather(this.#reasons.get(uid), causes.current);
    if (reason) this.#reasons.set(uid, reason);
    const again = () => this.#plan(item, 1);
    this.plan(uid, delay, () => this.#work(item), again);
  }

  *#work({ record, isFirst }: Item): Task<void> {
    const live = this.context.state.current(record);
    this.doubtsAbout.delete(record.uid);
    if (!live) return;
    const now = this.context.now();
    const ranBefore = this.#ranBefore;
    const dues = this.collector
      .decide(live, this.#cluster, { now, isFirst, ranBefore })
      .map((decision) => dueOf(decision, this.collector.rangesHold || (isFirst && ranBefore)));
    this.#mattered ||= !isFirst || dues.length > 0;
    if (dues.length === 0) return;
    const doubts = dues.filter((due) => !isCertain(due)).map(doubtIn);
    if (doubts.length > 0) this.doubtsAbout.set(record.uid, doubts);
    const reason = this.#reasons.get(record.uid);
    for (const due of dues) this.find(keyOf(due.decision), due, reason);
    if (dues.some(isCertain)) this.#reasons.delete(record.uid);
    const { causes } = this.context.state;
    const lookAgain = (at: number) =>
      causes.within(undefined, () => this.#plan({ record: live, isFirst }, at - now));
    // What is likely before its time is known when that has come.
    const later = dues.filter(({ decision, at }) => decision.confidence === 'likely' && at > now);
    if (later.length > 0) lookAgain(Math.min(...later.map(({ at }) => at)));
    yield* this.act(dues.filter(isCertain), lookAgain);
  }

  protected *carryOut(due: Due): Task<void> {
    yield* this.send(due, keyOf(due.decision));
  }
}

function keyOf({ object, action, rule }: Decision): string {
  return `${object.uid} ${action} ${rule}`;
}

/**
 * An object that existed before the simulation is seen at an unknown time; all others are seen at
 * once.
 */
function dueOf(decision: Decision, isRange: boolean): Due {
  const { notBefore: from } = decision;
  const notAfter = isRange ? decision.notAfter : from;
  return { decision: { ...decision, notAfter }, at: from, from, to: notAfter, inGroup: false };
}
