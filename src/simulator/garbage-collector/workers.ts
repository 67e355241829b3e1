import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { Causes } from '../engine/causes.ts';
import type { Timers } from '../engine/clock.ts';
import type { Schedule } from '../engine/schedule.ts';
import type { Timeline } from '../engine/timeline.ts';
import { WorkQueue } from '../engine/work-queue.ts';
import { attemptToDeleteItem, attemptToOrphan, type GcContext } from './attempts.ts';
import type { CollectorRequests } from './collector-requests.ts';
import { AbsentOwnerCache, OwnershipGraph } from './ownership-graph.ts';
import type { OwnershipNode } from './ownership-node.ts';

/** What the garbage collector works with; `W` is what its requests wait for. */
export interface GcDeps<W> {
  readonly requests: CollectorRequests<W>;
  readonly clock: Timers<W>;
  readonly causes?: Causes;
  readonly timing: Pick<Schedule, 'queue' | 'retry'>;
  readonly timeline: Timeline;
  /** Something was learnt that may let a failed attempt succeed. */
  readonly noteChange: () => void;
  readonly awaitNews?: GcContext<W>['awaitNews'];
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
  readonly #deletions: WorkQueue<OwnershipNode, W>;
  #isStarted = false;
  #waiting: (() => void)[] = [];

  constructor(deps: GcDeps<W>) {
    const { requests, timeline, clock, timing, causes } = deps;
    const { noteChange, identityOf, invalidNamespace, awaitNews } = deps;
    const queueOf = (attempt: typeof attemptToDeleteItem<W>) =>
      new WorkQueue<OwnershipNode, W>({
        clock,
        causes,
        retry: (failures) => timing.retry(failures),
        take: ({ identity: { uid } }, run) => {
          const begin = () => clock.after(timing.queue(uid, !this.#isStarted), run);
          if (this.#isStarted) begin();
          else this.#waiting.push(begin);
        },
        work: (node) => attempt(context, node),
      });
    const deletions = queueOf(attemptToDeleteItem);
    const orphanings = queueOf(attemptToOrphan);
    const absentOwners = new AbsentOwnerCache();
    const queue = (node: OwnershipNode) => deletions.add(node);
    this.#deletions = deletions;
    this.graph = new OwnershipGraph(
      absentOwners,
      {
        attemptToDelete: queue,
        attemptToDeleteLater: (node) => deletions.addRateLimited(node),
        attemptToOrphan: (node) => orphanings.add(node),
        invalidNamespace,
      },
      identityOf,
    );
    const enqueueGraphEvent = (event: () => boolean) =>
      clock.after(0, () => {
        if (event()) noteChange();
      });
    const { graph, unknown } = this;
    const node = { graph, absentOwners, queue, enqueueGraphEvent, unknown, awaitNews };
    const context: GcContext<W> = { requests, timeline, ...node };
  }

  /**
   * Puts a node into the queue of deletions. A method: V8 collects late what a closure in a field closes over, and a plan
   * takes hundreds of plays.
   */
  queue(node: OwnershipNode): void {
    this.#deletions.add(node);
  }

  /** Everything is listed: what was queued meanwhile is worked on. */
  start(): void {
    for (const begin of this.#waiting) begin();
    this.#waiting = [];
    this.#isStarted = true;
  }
}
