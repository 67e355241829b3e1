import { type Cause, Causes } from './causes.ts';

/**
 * Work in progress: yields what it waits for before it goes on, in a simulation a number of
 * milliseconds.
 */
export type Task<T, W = number> = Generator<W, T, void>;

/** Starts work, later or immediately: the virtual clock, or a real one. */
export interface Timers<W = number> {
  /** Milliseconds since some beginning. */
  readonly now: number;
  after(delay: number, run: () => void): void;
  /** Like `after`, for another attempt at what just failed. */
  retryAfter(delay: number, run: () => void): void;
  /** Runs a task to its end; `done` gets what it returns. */
  start<T>(task: Task<T, W>, done: (value: T) => void): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  readonly retry: Retry | undefined;
  readonly cause: Cause | undefined;
}

interface Retry {
  /** The state in which the attempt before failed. */
  readonly failedIn: number;
  readonly delay: number;
}

const longestDelay = 1_000_000;
/** Steps between two questions whether to go on. */
const askEvery = 64;

/**
 * The virtual clock: runs what is due in the order of time. A retry that failed in the present
 * state would fail again, so the clock is quiet when nothing but such retries is left.
 */
export class Clock implements Timers {
  /** Milliseconds since the simulation began. */
  now = 0;
  readonly #heap: Entry[] = [];
  /** By a state, how many attempts failed in it. They stay while it lasts, and no state comes again. */
  readonly #failed = new Map<number, number>();
  readonly #state: { readonly changes: number };
  readonly #causes: Causes;
  readonly #mostSteps: number;
  readonly #goOn: () => void;
  #steps = 0;
  #order = 0;
  #active = 0;
  #retrying = 0;

  /**
   * `state.changes` counts everything that could make a failed attempt succeed. After `mostSteps` it
   * runs nothing more: neither a moment nor a play goes on without end. `goOn` is called from time to time, and throws to
   * end it.
   */
  constructor(
    state: { readonly changes: number; readonly causes?: Causes },
    mostSteps = Number.POSITIVE_INFINITY,
    goOn: () => void = () => undefined,
  ) {
    this.#causes = state.causes ?? new Causes();
    this.#state = state;
    this.#mostSteps = mostSteps;
    this.#goOn = goOn;
  }

  after(delay: number, run: () => void): void {
    this.#active++;
    this.#push(this.now + delay, run, undefined, this.#causes.current);
  }

  /** Like `after`, for another attempt at what just failed. */
  retryAfter(delay: number, run: () => void): void {
    const failedIn = this.#state.changes;
    this.#failed.set(failedIn, (this.#failed.get(failedIn) ?? 0) + 1);
    this.#retrying++;
    this.#push(this.now + delay, run, { failedIn, delay }, this.#causes.current);
  }

  /** Runs a task to its end; `done` gets what it returns. */
  start<T>(task: Task<T>, done: (value: T) => void): void {
    const causes = this.#causes;
    const advance = () => {
      const next = task.next();
      if (next.done) done(next.value);
      else this.after(next.value, step);
    };
    const step = () => causes.within(causes.current, advance);
    step();
  }

  /** Runs until nothing can change any more, until something is due only after `end`, or for too long. */
  run(end: number): 'quiet' | 'deadline' | 'endless' {
    for (;;) {
      const next = this.#heap[0];
      if (!next || this.#isQuiet()) return 'quiet';
      if (next.at > end) {
        this.now = Math.max(this.now, end);
        return 'deadline';
      }
      if (this.#steps >= this.#mostSteps) return 'endless';
      if (this.#steps % askEvery === 0) this.#goOn();
      this.#pop();
      this.now = next.at;
      const { retry } = next;
      if (retry?.failedIn === this.#state.changes) {
        this.#postpone(next, retry);
        continue;
      }
      if (retry) this.#retrying--;
      else this.#active--;
      this.#steps++;
      this.#causes.elapsed = next.at;
      this.#causes.within(next.cause, next.run);
    }
  }

  /** Runs until nothing is due within `pause`. */
  settle(pause: number): void {
    for (;;) {
      const next = this.#heap[0];
      if (!next || this.#isQuiet() || next.at > this.now + pause) return;
      if (this.run(next.at) === 'endless') return;
    }
  }

  /** What led to that which is still to come. */
  get pendingCauses(): readonly (Cause | undefined)[] {
    return this.#heap.map(({ cause }) => cause);
  }

  /** Nothing has changed since it failed, so it would fail again: that need not be played. */
  #postpone({ at, run, cause }: Entry, { failedIn, delay }: Retry): void {
    const retry = { failedIn, delay: Math.min(2 * delay, longestDelay) };
    this.#push(at + retry.delay, run, retry, cause);
  }

  #isQuiet(): boolean {
    if (this.#active > 0) return false;
    return this.#retrying === (this.#failed.get(this.#state.changes) ?? 0);
  }

  #push(at: number, run: () => void, retry: Retry | undefined, cause: Cause | undefined): void {
    this.#rise({ at, order: this.#order++, run, retry, cause });
  }

  #rise(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Entry;
      if (!before(entry, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Entry;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as Entry, heap[child] as Entry))
        child++;
      if (!before(heap[child] as Entry, last)) break;
      heap[at] = heap[child] as Entry;
      at = child;
    }
    heap[at] = last;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
