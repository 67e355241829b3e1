import { setTimeout as delay } from 'node:timers/promises';
import { cancelled } from './network-error.ts';

/** Lets so many in at a time. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Enters if there is room now; true means that `leave` must follow. */
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
  /** The doubling ends here. */
  readonly longestWait: number;
  /** From 0 to 1; spreads the waits of clients that failed together. By default Math.random. */
  readonly random?: () => number;
}

/**
 * As client-go's reflector waits before it lists and watches again (tools/cache/reflector.go): 0.8 to 1.6 s, doubled up
 * to 30 to 60 s.
 */
export const reflectorBackoff: Backoff = { firstWait: 1_600, longestWait: 60_000 };

/** How often and how soon a request is repeated. */
export interface RetryPolicy extends Backoff {
  /** Attempts in all where the server does not say when to try again. */
  readonly tries: number;
  /** Of a question: no such attempt begins later than this after the first. */
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

/** As maxRetries of client-go (NewRequest, rest/request.go). */
const mostAsked = 10;
/** A server that asks to wait longer, in milliseconds, may be ready earlier. */
export const longestAsked = 30_000;
/** Where a server asks for less, the waits are doubled up to here: asked for 0 s, client-go does not wait at all. */
const leastAsked = 1000;

/**
 * The attempts of one request. What the server asks for with Retry-After is repeated as client-go does (WithRetry,
 * rest/with_retry.go); failures without one, which client-go returns as they are, a few times.
 */
export class Retries {
  readonly #policy: RetryPolicy;
  readonly #signal: AbortSignal | undefined;
  #asked = 0;
  #unasked = 0;
  #waitedUnasked = 0;
  /** performance.now() when it began, later by what the server asked for. */
  #began = performance.now();

  constructor(policy = defaultRetryPolicy, signal?: AbortSignal) {
    this.#policy = policy;
    this.#signal = signal;
  }

  /** Milliseconds until the next attempt; undefined: there is none. `asked`: what the server asks to wait. */
  nextWait(asked?: number, tries = this.#policy.tries): number | undefined {
    const { longestInAll = Infinity } = this.#policy;
    const own = backoff(this.#asked + this.#unasked + 1, this.#policy);
    if (asked !== undefined && asked <= longestAsked) {
      if (++this.#asked > mostAsked) return undefined;
      const wait = Math.max(asked, Math.min(own, leastAsked));
      this.#began += wait;
      return wait;
    }
    const left = longestInAll - Math.max(this.#waitedUnasked, performance.now() - this.#began);
    if (++this.#unasked >= tries || own > left) return undefined;
    this.#waitedUnasked += own;
    return own;
  }

  /** Waits; rejects when the request is cancelled meanwhile. */
  async sleep(milliseconds: number): Promise<void> {
    await this.#policy.sleep(milliseconds, this.#signal).catch((error: unknown) => {
      throw this.#signal?.aborted ? cancelled(this.#signal) : error;
    });
  }

  /** Waits before an answer that broke off is asked for again; false once it was tried often enough. */
  async mayAskAgain(): Promise<boolean> {
    const wait = this.#signal?.aborted ? undefined : this.nextWait();
    if (wait === undefined) return false;
    await this.sleep(wait);
    return true;
  }
}

/** The wait after so many failures in a row (1: the first): doubled each time, and spread. */
export function backoff(
  failures: number,
  { firstWait, longestWait, random = Math.random }: Backoff,
): number {
  const spread = 0.5 + random() / 2;
  return Math.min(firstWait * 2 ** Math.min(failures - 1, 30), longestWait) * spread;
}
