import { setTimeout as delay } from 'node:timers/promises';

/** Lets so many in at a time. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Enters when there is room at once; whoever did must `leave`. */
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

/** The wait after so many failures in a row (1: the first): doubled each time, and spread. */
export function backoff(failures: number, first: number, longest: number): number {
  const full = Math.min(first * 2 ** Math.min(failures - 1, 30), longest);
  return full * (0.5 + Math.random() / 2);
}
