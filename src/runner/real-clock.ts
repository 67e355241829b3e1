import type { Task, Timers } from '../simulator/engine/clock.ts';

/** What a task that asks a real server waits for. */
export type Wait = Promise<void>;

interface Retry {
  readonly run: () => void;
  readonly timer: NodeJS.Timeout;
  /** How many changes there were when the attempt before failed. */
  readonly failedAt: number;
}

/**
 * The clock on the wall for controllers that were written for the virtual one. It is quiet on the
 * same condition: nothing is under way but retries of what failed in the present state.
 */
export class RealClock implements Timers<Wait> {
  /** Counts what may let a failed attempt succeed. */
  changes = 0;
  #active = 0;
  #isStopped = false;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #retries = new Set<Retry>();
  readonly #onError: (error: unknown) => void;
  #listeners: (() => void)[] = [];

  /** `onError` receives the error of a task, which ends everything. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Milliseconds since the process began. */
  get now(): number {
    return performance.now();
  }

  after(delay: number, run: () => void): void {
    if (this.#isStopped) return;
    this.#active += 1;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#run(run);
      this.#end();
    }, delay);
    this.#timers.add(timer);
  }

  retryAfter(delay: number, run: () => void): void {
    if (this.#isStopped) return;
    const timer = setTimeout(() => this.#retryNow(retry), delay);
    const retry: Retry = { run, timer, failedAt: this.changes };
    this.#retries.add(retry);
  }

  start<T>(task: Task<T, Wait>, done: (value: T) => void): void {
    this.#active += 1;
    const step = () => {
      if (this.#isStopped) return;
      const next = task.next();
      if (!next.done) {
        next.value.then(() => this.#run(step), this.#onError);
        return;
      }
      done(next.value);
      this.#end();
    };
    this.#run(step);
  }

  /** Resolves once it is quiet. Retries that failed in another state are not waited for, but made. */
  async quiet(): Promise<void> {
    for (;;) {
      for (const retry of [...this.#retries]) {
        if (retry.failedAt !== this.changes) this.#retryNow(retry);
      }
      if (this.#active === 0 || this.#isStopped) return;
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { timer } of this.#retries) clearTimeout(timer);
    this.#wake();
  }

  #retryNow(retry: Retry): void {
    clearTimeout(retry.timer);
    this.#retries.delete(retry);
    this.#run(retry.run);
    this.#wake();
  }

  #run(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#onError(error);
    }
  }

  #end(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#wake();
  }

  #wake(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}

/** Waits for an answer: `yield* answerOf(promise)` is `await promise` in a task. */
export function* answerOf<T>(promise: Promise<T>): Task<T, Wait> {
  let answer: { readonly value: T } | undefined;
  yield promise.then((value) => {
    answer = { value };
  });
  if (!answer) throw new Error('the task went on before the answer came');
  return answer.value;
}
