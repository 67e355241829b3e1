import type { ClusterClient } from '../connection/cluster-client.ts';
import { type Backoff, backoff, pause } from '../pacing.ts';
import { UnreadableJson } from '../read-body.ts';
import { openWatch, type WatchEvent, type WatchTarget } from '../watch.ts';

/** How one target is followed, and who is told what. */
export interface ListAndWatch {
  readonly client: ClusterClient;
  readonly target: WatchTarget;
  /** Objects are watched with spec and status. */
  readonly whole?: boolean;
  /** Milliseconds: another try follows this soon after one failed, doubled each time. */
  readonly pace: Backoff;
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

/**
 * Lists, watches, and does so again when that breaks, until the signal is aborted or `failed` says `end`. `from`: the
 * version of a list that was read already.
 */
export async function listAndWatch(
  how: ListAndWatch,
  signal: AbortSignal,
  from?: string,
): Promise<void> {
  const { client, target, whole, pace } = how;
  let version = from;
  let failures = 0;
  const wait = () => pause(backoff(++failures, pace), signal);
  while (!signal.aborted) {
    const began = performance.now();
    try {
      version ??= await how.list();
      if (version === undefined) {
        await wait();
        continue;
      }
      const rest = how.rest?.();
      if (rest) {
        failures = 0;
        await rest;
        version = undefined;
        continue;
      }
      const events = await openWatch(client, target, version, { signal, whole });
      failures = 0;
      how.opened?.();
      for await (const event of events) {
        if (event.version !== '') version = event.version;
        if (event.type === 'bookmark' || how.changed(event) !== 'list') continue;
        // What comes in the same moment is in the same list.
        await pause(pace.firstWait * 10, signal);
        version = undefined;
        break;
      }
      // The server ends watches from time to time; one that does so at once is not asked in a loop.
      if (performance.now() - began < 1_000) await pause(pace.firstWait, signal);
    } catch (error) {
      if (signal.aborted) return;
      const next = how.failed(error, version === undefined ? 'list' : 'watch');
      if (next === 'end') return;
      // An event that cannot be read would come again from the same version on.
      if (next === 'list' || error instanceof UnreadableJson) version = undefined;
      await wait();
    }
  }
}
