import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { Causes } from '../engine/causes.ts';
import type { Task, Timers } from '../engine/clock.ts';
import type { Schedule } from '../engine/schedule.ts';
import type { Timeline } from '../engine/timeline.ts';
import { attemptToDeleteItem, attemptToOrphan, type GcContext, type Outcome } from './attempts.ts';
import type { CollectorRequests } from './collector-requests.ts';
import { AbsentOwnerCache, OwnershipGraph } from './ownership-graph.ts';
import { type OwnershipNode, QueueState } from './ownership-node.ts';

/** What the garbage collector works with; `W` is what its requests wait for. */
export interface GcDeps<W> {
  readonly requests: CollectorRequests<W>;
  readonly clock: Timers<W>;
  readonly causes?: Causes;
  readonly timing: Pick<Schedule, 'queue' | 'retry'>;
  readonly timeline: Timeline;
  /** Something was learnt that may let a failed attempt succeed. */
  readonly noteChange: () => void;
  /** By which version of its kind the garbage collector knows an object. */
  readonly identityOf: (record: ObjectRecord) => ObjectReference;
  /** An observed owner is in another namespace than its dependent (GC-46). */
  readonly invalidNamespace: (dependent: OwnershipNode, ownerUid: string) => void;
}

/** The garbage collector's graph, its two work queues and the workers behind them (GC-11, GC-24). */
export class Workers<W = number> {
  readonly graph: OwnershipGraph;
  /** By the uid of an object that could not be judged: what could not be read of its owners. */
  readonly unknown = new Map<string, string>();
  readonly #workshop: GcDeps<W>;
  readonly #worker: GcContext<W>;
  #started = false;
  #waiting: (() => void)[] = [];

  constructor(workshop: GcDeps<W>) {
    this.#workshop = workshop;
    const { requests, timeline, clock, noteChange, identityOf, invalidNamespace } = workshop;
    const absentOwners = new AbsentOwnerCache();
    const queue = (node: OwnershipNode) => this.#add(node, deletingOf(node), this.#attemptToDelete);
    this.graph = new OwnershipGraph(
      absentOwners,
      {
        attemptToDelete: queue,
        attemptToDeleteLater: (node) =>
          this.#retry(node, deletingOf(node), this.#attemptToDelete, 'requeue'),
        attemptToOrphan: (node) => this.#add(node, orphaningOf(node), this.#attemptToOrphan),
        invalidNamespace,
      },
      identityOf,
    );
    const tell = (event: () => boolean) =>
      clock.after(0, () => {
        if (event()) noteChange();
      });
    const { graph, unknown } = this;
    this.#worker = {
      requests,
      timeline,
      graph,
      absentOwners,
      queue,
      enqueueGraphEvent: tell,
      unknown,
    };
  }

  /** Everything is listed: what was queued meanwhile is worked on. */
  start(): void {
    for (const begin of this.#waiting) begin();
    this.#waiting = [];
    this.#started = true;
  }

  #add(node: OwnershipNode, queue: QueueState, work: Work<W>): void {
    const { causes } = this.#workshop;
    queue.cause = causes?.gather(queue.cause, causes.current);
    if (queue.queued) return;
    if (queue.processing) {
      queue.dirty = true;
      return;
    }
    queue.queued = true;
    const begin = () => {
      const delay = this.#workshop.timing.queue(node.identity.uid, !this.#started);
      this.#workshop.clock.after(delay, () => this.#process(node, queue, work));
    };
    if (this.#started) begin();
    else this.#waiting.push(begin);
  }

  /** `requeue` fails again as long as nothing changes: the clock need not wait for it. */
  #retry(node: OwnershipNode, queue: QueueState, work: Work<W>, why: 'requeue' | 'retry'): void {
    const { clock, timing: pace } = this.#workshop;
    const delay = pace.retry(queue.failures++);
    const again = () => this.#add(node, queue, work);
    if (why === 'requeue') clock.retryAfter(delay, again);
    else clock.after(delay, again);
  }

  #process(node: OwnershipNode, queue: QueueState, work: Work<W>): void {
    queue.queued = false;
    queue.processing = true;
    const { causes, clock } = this.#workshop;
    const start = () =>
      clock.start(work(node), (outcome) => {
        queue.processing = false;
        if (outcome === 'forget') queue.failures = 0;
        else this.#retry(node, queue, work, outcome);
        if (!queue.dirty) return;
        queue.dirty = false;
        this.#add(node, queue, work);
      });
    if (causes) causes.within(queue.cause, start);
    else start();
  }

  readonly #attemptToDelete: Work<W> = (node) => attemptToDeleteItem(this.#worker, node);
  readonly #attemptToOrphan: Work<W> = (node) => attemptToOrphan(this.#worker, node);
}

type Work<W> = (node: OwnershipNode) => Task<Outcome, W>;

function deletingOf(node: OwnershipNode): QueueState {
  node.deleting ??= new QueueState();
  return node.deleting;
}

function orphaningOf(node: OwnershipNode): QueueState {
  node.orphaning ??= new QueueState();
  return node.orphaning;
}
