import type { Causes, Gathered } from './causes.ts';
import type { Task, Timers } from './clock.ts';

/**
 * What work on an item leads to. `requeue`: it failed, and would again as long as nothing changes. `retry`: another client
 * wrote in between, so that another attempt may succeed immediately.
 */
export type Outcome = 'forget' | 'requeue' | 'retry' | LookAgain;

/** It is worked on again later. `isWaiting`: nothing changes before that, unless something else changes it. */
export interface LookAgain {
  /** Milliseconds. */
  readonly after: number;
  readonly isWaiting: boolean;
}

interface QueueDeps<K, W> {
  readonly clock: Timers<W>;
  work(key: K): Task<Outcome, W>;
  /** Runs once a worker takes the item. Default: immediately. */
  take?(key: K, run: () => void): void;
  /** Milliseconds before the next attempt after so many failures. */
  retry?(failures: number): number;
  /** Gathers all that has led to the work on an item: what it writes follows from that. */
  readonly causes?: Causes | undefined;
}

/**
 * client-go's work queue (util/workqueue): an item is never queued twice and never worked on twice at a time. What is
 * added while it is worked on is worked on once more.
 */
export class WorkQueue<K, W = number> {
  readonly #deps: QueueDeps<K, W>;
  readonly #items = new Map<K, QueueItem>();

  constructor(deps: QueueDeps<K, W>) {
    this.#deps = deps;
  }

  add(key: K): void {
    const item = this.#itemOf(key);
    const { causes, take } = this.#deps;
    item.cause = causes?.gather(item.cause, causes.current);
    if (item.isQueued) return;
    if (item.isProcessing) {
      item.isDirty = true;
      return;
    }
    item.isQueued = true;
    const run = () => this.#process(key, item);
    if (take) take(key, run);
    else run();
  }

  /** Adds an item later, unless that is planned for an earlier time. Returns whether it is. */
  addAfter(key: K, delay: number, isWaiting = false): boolean {
    const { clock } = this.#deps;
    const item = this.#itemOf(key);
    const at = clock.now + delay;
    if (item.next !== undefined && item.next <= at) return false;
    item.next = at;
    const add = () => {
      if (item.next !== at) return;
      item.next = undefined;
      this.add(key);
    };
    if (isWaiting) clock.retryAfter(delay, add);
    else clock.after(delay, add);
    return true;
  }

  /** Adds an item once more after a failure, later after each further one. */
  addRateLimited(key: K, outcome: 'requeue' | 'retry' = 'requeue'): void {
    const { clock, retry } = this.#deps;
    const delay = retry?.(this.#itemOf(key).failures++) ?? 0;
    const add = () => this.add(key);
    // The clock need not wait for what fails again.
    if (outcome === 'requeue') clock.retryAfter(delay, add);
    else clock.after(delay, add);
  }

  #process(key: K, item: QueueItem): void {
    const { causes, clock, work } = this.#deps;
    item.isQueued = false;
    item.isProcessing = true;
    const start = () => clock.start(work(key), (outcome) => this.#finish(key, item, outcome));
    if (causes) causes.within(item.cause, start);
    else start();
  }

  #finish(key: K, item: QueueItem, outcome: Outcome): void {
    item.isProcessing = false;
    if (outcome === 'requeue' || outcome === 'retry') this.addRateLimited(key, outcome);
    else item.failures = 0;
    if (typeof outcome === 'object') this.addAfter(key, outcome.after, outcome.isWaiting);
    if (!item.isDirty) return;
    item.isDirty = false;
    this.add(key);
  }

  #itemOf(key: K): QueueItem {
    const known = this.#items.get(key);
    if (known) return known;
    const item = new QueueItem();
    this.#items.set(key, item);
    return item;
  }
}

class QueueItem {
  cause: Gathered | undefined = undefined;
  /** Clock time of the earliest planned addition. */
  next: number | undefined = undefined;
  isQueued = false;
  isProcessing = false;
  isDirty = false;
  failures = 0;
}
