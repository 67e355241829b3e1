import { counted } from '../../kube/counts-by-kind.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { askingOnce } from '../asking-once.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import type { ClusterScope, FromClusterOptions } from '../from-cluster.ts';
import { Bell } from '../pacing.ts';
import { FollowedCluster } from './followed-cluster.ts';
import type { FollowedPlace, PlaceListener } from './followed-place.ts';

/** Kinds whose watches broke together are told of together, after this many milliseconds. */
const gathering = 500;
/** What is outside of what is followed is asked for this often, in milliseconds. */
const remembered = 10_000;

/** Everything that one call follows in a cluster, and the changes that were seen in it. */
export class Following {
  /** Rings at every change that counts. */
  readonly bell = new Bell();
  /** How many there were. */
  changes = 0;
  /** A bug, which must not end unseen. */
  failure: unknown;
  readonly #tell: (line: string) => void;
  readonly #ended = new AbortController();
  readonly #parts = new Map<string, Promise<FollowedCluster>>();
  readonly #lost = new Map<FollowedPlace, string>();
  #remembering: ClusterClient | undefined;
  #relisted = 0;
  #isToldLost = false;
  #timer: NodeJS.Timeout | undefined;

  /** `tell`: what is said of watches that break. */
  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  /** How many watches are broken at the moment. */
  get lost(): number {
    return this.#lost.size;
  }

  /** What is known now of a part of the cluster, which is followed from the first call on. */
  async snapshot(
    client: ClusterClient,
    scope: ClusterScope,
    options: FromClusterOptions,
  ): Promise<Snapshot> {
    const { facts, events } = options;
    const key = JSON.stringify([
      scope.namespaces ?? [],
      scope.types?.map(groupResourceOf) ?? [],
      scope.namespacedOnly ?? false,
      facts ?? false,
      events ?? false,
    ]);
    let part = this.#parts.get(key);
    if (!part) {
      const { signal } = this.#ended;
      part = FollowedCluster.open({ client, scope, options, listener: this.#listener, signal });
      this.#parts.set(key, part);
      // What could not be read is read again by the next look.
      part.catch(() => this.#parts.delete(key));
    }
    return (await part).snapshot();
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
        this.#tell(
          `The watch of ${groupResourceOf(type)}${rest} broke, and is tried again: ${reason}`,
        );
      } else if (!first && (this.#isToldLost || this.#relisted > 0)) {
        const how =
          this.#relisted > 0
            ? `after listing ${counted(this.#relisted, 'kind')} again`
            : 'and no change was missed';
        this.#isToldLost = false;
        this.#relisted = 0;
        this.#tell(`Watching again, ${how}.`);
      }
      this.bell.ring();
    }, gathering);
  }
}
