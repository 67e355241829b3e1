/** Wakes whoever waits for something to have changed. */
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
    // Timers hold at most 2^31 - 1 milliseconds; whoever waits looks again anyway.
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
