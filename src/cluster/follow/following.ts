import { counted } from '../../kube/counts-by-kind.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { askingOnce } from '../asking-once.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import type { ClusterScope, FromClusterOptions } from '../from-cluster.ts';
import { Bell } from '../pacing.ts';
import { listForWatch } from '../watch.ts';
import { followCluster } from './followed-cluster.ts';
import { type Informer, isTemporary, type PlaceListener } from './followed-place.ts';
import { type ListAndWatch, listAndWatch } from './list-and-watch.ts';

/** Watches that broke together are reported together, after this many milliseconds. */
const gathering = 500;
/** Objects that no watch covers are read again after this many milliseconds. */
const remembered = 10_000;
/** Objects that are watched one by one, at most. */
const mostWatchedObjects = 40;

/** Everything that one call follows in a cluster, and the changes that were seen in it. */
export class WatchCache {
  /** Rings at every change that counts. */
  readonly bell = new Bell();
  /** How many there were. */
  changes = 0;
  /** A bug, which must not end unseen. */
  failure: unknown;
  readonly #report: (line: string) => void;
  readonly #ended = new AbortController();
  /** By part: the function for its present snapshot. */
  readonly #parts = new Map<string, Promise<() => Promise<Snapshot>>>();
  readonly #objects = new Map<string, AbortController>();
  readonly #lost = new Map<Informer, string>();
  #remembering: ClusterClient | undefined;
  #relisted = 0;
  #isToldLost = false;
  #timer: NodeJS.Timeout | undefined;

  /** `tell` receives messages about broken watches. */
  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  /** What is known now of a part of the cluster, which is followed from the first call on. */
  async snapshot(
    client: ClusterClient,
    scope: ClusterScope,
    options: FromClusterOptions,
  ): Promise<Snapshot> {
    const key = JSON.stringify([
      scope.namespaces ?? [],
      scope.types?.map(groupResourceOf) ?? [],
      scope.namespacedOnly ?? false,
      options.facts ?? false,
    ]);
    let part = this.#parts.get(key);
    if (!part) {
      const { signal } = this.#ended;
      part = followCluster({ client, scope, options, listener: this.#listener, signal });
      this.#parts.set(key, part);
      // What could not be read is read again by the next look.
      part.catch(() => this.#parts.delete(key));
    }
    return (await part)();
  }

  /** From now on, changes of these objects count, and not of those that were named before. */
  watchObjects(client: ClusterClient, objects: readonly ObjectLocation[]): void {
    const wanted = new Map(
      objects.slice(0, mostWatchedObjects).map((object) => [locationKey(object), object]),
    );
    for (const [key, ended] of this.#objects) {
      if (wanted.has(key)) continue;
      ended.abort();
      this.#objects.delete(key);
    }
    for (const [key, object] of wanted) {
      if (this.#objects.has(key) || !object.type.verbs.includes('watch')) continue;
      const ended = new AbortController();
      this.#objects.set(key, ended);
      void this.#watchObject(client, object, AbortSignal.any([ended.signal, this.#ended.signal]));
    }
  }

  /** The same connection for single questions, whose answers count for some seconds. */
  remembering(client: ClusterClient): ClusterClient {
    this.#remembering ??= askingOnce(client, { paths: /^/, milliseconds: remembered });
    return this.#remembering;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#ended.abort();
  }

  #watchObject(
    client: ClusterClient,
    { type, namespace, name }: ObjectLocation,
    signal: AbortSignal,
  ): Promise<void> {
    const target = { type, namespace: namespace || undefined, name };
    let isListed = false;
    const how: ListAndWatch = {
      client,
      target,
      list: async () => {
        const { resourceVersion } = await listForWatch(client, target, signal);
        // The list may show changes that no watch reported.
        if (isListed) this.#change();
        isListed = true;
        return resourceVersion;
      },
      changed: () => {
        this.#change();
        return undefined;
      },
      // What cannot be watched is asked for again by the clock.
      failed: (error) => {
        if (isTemporary(error)) return 'list';
        this.#listener.failed(error);
        return 'end';
      },
    };
    return listAndWatch(how, signal);
  }

  #change(): void {
    this.changes += 1;
    this.bell.ring();
  }

  readonly #listener: PlaceListener = {
    changed: () => this.#change(),
    lost: (place, reason) => {
      this.#lost.set(place, reason);
      this.#tellSoon();
    },
    found: (place, listed) => {
      this.#lost.delete(place);
      if (listed) this.#relisted += 1;
      this.#tellSoon();
    },
    failed: (error) => {
      this.failure ??= error;
      this.bell.ring();
    },
  };

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const [first] = this.#lost;
      if (first && !this.#isToldLost) {
        const [{ type }, reason] = first;
        const more = this.#lost.size - 1;
        const rest = more > 0 ? ` and of ${counted(more, 'other kind')}` : '';
        this.#isToldLost = true;
        this.#report(
          `The watch of ${groupResourceOf(type)}${rest} broke, and is tried again: ${reason}`,
        );
      } else if (!first && (this.#isToldLost || this.#relisted > 0)) {
        const how =
          this.#relisted > 0
            ? `after listing ${counted(this.#relisted, 'kind')} again`
            : 'and no change was missed';
        this.#isToldLost = false;
        this.#relisted = 0;
        this.#report(`Watching again, ${how}.`);
      }
      this.bell.ring();
    }, gathering);
  }
}
