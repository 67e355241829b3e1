import { setTimeout as delay } from 'node:timers/promises';

/** Lets so many in at a time. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Enters when there is room at once; true means that `leave` must follow. */
  tryEnter(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }

  /** Runs `work` once there is room. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.tryEnter()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.leave();
    }
  }
}

/** Waits, and no longer than until the signal is aborted; never rejects. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** Wakes the callers that wait for a change. */
export class Bell {
  #waiting = Promise.withResolvers<void>();

  ring(): void {
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers<void>();
  }

  /** Resolves at the next ring, after so many milliseconds, or when the signal is aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    // Timers hold at most 2^31 - 1 milliseconds; a caller that waits looks again anyway.
    const timer = setTimeout(resolve, Math.min(milliseconds, 60_000));
    const onAbort = () => resolve();
    signal.addEventListener('abort', onAbort);
    void this.#waiting.promise.then(resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  }
}

/** How soon something is tried again. Times in milliseconds. */
export interface Backoff {
  /** Wait before the second attempt; doubled before each further one. */
  readonly firstWait: number;
  /** No wait is longer, whatever the server asks for. */
  readonly longestWait: number;
  /** From 0 to 1; spreads the waits of clients that failed together. By default Math.random. */
  readonly random?: () => number;
}

/** How often and how soon a request is repeated. */
export interface RetryPolicy extends Backoff {
  /** Attempts in all. */
  readonly tries: number;
  /** Of a question: no try begins later than this after the first. */
  readonly longestInAll?: number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
}

export const defaultRetryPolicy: RetryPolicy = {
  tries: 5,
  firstWait: 250,
  longestWait: 30_000,
  longestInAll: 5000,
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
};

/** The wait after so many failures in a row (1: the first): doubled each time, and spread. */
export function backoff(
  failures: number,
  { firstWait, longestWait, random = Math.random }: Backoff,
): number {
  const spread = 0.5 + random() / 2;
  return Math.min(firstWait * 2 ** Math.min(failures - 1, 30) * spread, longestWait);
}
