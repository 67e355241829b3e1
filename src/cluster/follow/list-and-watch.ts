import type { ClusterClient } from '../connection/cluster-client.ts';
import { type Backoff, backoff, pause, reflectorBackoff } from '../pacing.ts';
import { UnreadableJson } from '../read-body.ts';
import { openWatch, type WatchEvent, type WatchTarget } from '../watch.ts';

/** How one target is watched, and its listeners. */
export interface ListAndWatch {
  readonly client: ClusterClient;
  readonly target: WatchTarget;
  /** Objects are watched with spec and status. */
  readonly whole?: boolean;
  /** Undefined: that of client-go's reflector. */
  readonly pace?: Backoff | undefined;
  /** What comes within so many milliseconds of an event that does not say enough is in the same list. */
  readonly gathering?: number | undefined;
  /** Undefined: that of this machine. */
  readonly clock?: WatchClock | undefined;
  /** Reads all objects. Resolves with the version that a watch goes on from; undefined: they could not be read. */
  list(): Promise<string | undefined>;
  /** Waits until the next list where it is not to be watched; undefined: it is watched. */
  rest?(): Promise<void> | undefined;
  /** The server has accepted a watch. */
  opened?(): void;
  /** `list`: the event does not say enough. */
  changed(event: Exclude<WatchEvent, { type: 'bookmark' }>): 'list' | undefined;
  /** What comes after a list or a watch that failed, and a wait: `watch` goes on where the last one was. */
  failed(error: unknown, what: 'list' | 'watch'): 'list' | 'watch' | 'end';
}

/** Time as it passes. */
export interface WatchClock {
  /** Milliseconds. */
  now(): number;
  /** Ends no later than the signal; never rejects. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

const machineClock: WatchClock = { now: () => performance.now(), sleep: pause };

/**
 * Lists, watches, and does so again when that breaks, until the signal is aborted or `failed` says `end`. `from`: the
 * version of a list that was read already.
 */
export async function listAndWatch(
  how: ListAndWatch,
  signal: AbortSignal,
  from?: string,
): Promise<void> {
  const { client, target, whole, clock = machineClock } = how;
  const restarts = new Restarts(how, clock, signal);
  let version = from;
  while (!signal.aborted) {
    try {
      version ??= await how.list();
      const rest = version === undefined ? undefined : how.rest?.();
      if (rest) {
        restarts.forget();
        await rest;
        version = undefined;
        continue;
      }
      if (version !== undefined) {
        const events = await openWatch(client, target, version, { signal, whole });
        restarts.opened();
        how.opened?.();
        for await (const event of events) {
          if (event.version !== '') version = event.version;
          if (event.type === 'bookmark' || how.changed(event) !== 'list') continue;
          await clock.sleep(how.gathering ?? 0, signal);
          version = undefined;
          break;
        }
        if (version === undefined) continue;
      }
    } catch (error) {
      if (signal.aborted) return;
      const next = how.failed(error, version === undefined ? 'list' : 'watch');
      if (next === 'end') return;
      // An event that cannot be read would come again from the same version on.
      if (next === 'list' || error instanceof UnreadableJson) version = undefined;
    }
    await restarts.wait();
  }
}

/** A watch that has lasted so long, in milliseconds, shows that the server is healthy (defaultBackoffReset). */
const healthyAfter = 120_000;

/**
 * The waits before a list and watch is begun again: those of client-go's reflector (tools/cache/reflector.go), less the
 * time that the watch has lasted. A watch that ends early, again and again, is asked for no more often than one that fails.
 */
class Restarts {
  readonly #pace: Backoff;
  readonly #clock: WatchClock;
  readonly #signal: AbortSignal;
  #failures = 0;
  #openedAt: number | undefined;

  constructor({ pace = reflectorBackoff }: ListAndWatch, clock: WatchClock, signal: AbortSignal) {
    this.#pace = pace;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** The server has accepted a watch. */
  opened(): void {
    this.#openedAt = this.#clock.now();
  }

  forget(): void {
    this.#failures = 0;
  }

  async wait(): Promise<void> {
    const lasted = this.#openedAt === undefined ? 0 : this.#clock.now() - this.#openedAt;
    this.#openedAt = undefined;
    if (lasted >= healthyAfter) this.#failures = 0;
    this.#failures += 1;
    const wait = backoff(this.#failures, this.#pace) - lasted;
    if (wait > 0) await this.#clock.sleep(wait, this.#signal);
  }
}
