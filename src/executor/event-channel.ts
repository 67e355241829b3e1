/** Hands on what is pushed, in order, to the one who iterates; ends when it is closed. */
export class EventChannel<T> implements AsyncIterable<T> {
  readonly #events: T[] = [];
  #reader: (() => void) | undefined;
  #closed = false;
  #error: unknown;

  push(event: T): void {
    this.#events.push(event);
    this.#wake();
  }

  /** Ends the iteration after what was pushed, by throwing when there is an error. */
  close(error?: unknown): void {
    this.#closed = true;
    this.#error = error;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      while (this.#events.length > 0) yield* this.#events.splice(0);
      if (this.#closed) {
        if (this.#error !== undefined) throw this.#error;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#reader = resolve;
      });
    }
  }

  #wake(): void {
    this.#reader?.();
    this.#reader = undefined;
  }
}
