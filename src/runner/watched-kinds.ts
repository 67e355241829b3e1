import { inParallel } from '../cluster/in-parallel.ts';
import { discover } from '../cluster/list/discover.ts';
import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { RealClock } from './real-clock.ts';
import type { Server } from './server.ts';
import { type ObjectListener, WatchedKind } from './watched-kind.ts';

const listsAtOnce = 8;

/** All kinds that the garbage collector monitors, each with a watch; discovery says which these are. */
export class WatchedKinds {
  readonly #server: Server;
  readonly #clock: RealClock;
  readonly #listener: ObjectListener;
  readonly #kinds = new Map<string, WatchedKind>();

  constructor(server: Server, clock: RealClock, listener: ObjectListener) {
    this.#server = server;
    this.#clock = clock;
    this.#listener = listener;
  }

  /** Watches kinds that are served now, and stops with those that are served no longer. */
  async rediscover(): Promise<void> {
    const server = this.#server;
    const { types } = await discover(server.client, { signal: server.signal });
    const monitored = new Map(types.monitored().map((type) => [groupResourceOf(type), type]));
    const names = ({ all }: ResourceTypes) => all.map(groupResourceOf).join();
    if (names(types) !== names(server.types)) this.#clock.changes += 1;
    server.types = types;
    for (const [name, kind] of this.#kinds) {
      if (monitored.has(name)) continue;
      kind.stop();
      this.#kinds.delete(name);
    }
    const added = [...monitored].filter(([name]) => !this.#kinds.has(name));
    await inParallel(added, listsAtOnce, async ([name, type]) => {
      if (this.#kinds.has(name)) return;
      const kind = new WatchedKind(server, type, this.#listener);
      this.#kinds.set(name, kind);
      try {
        await kind.start();
      } catch (error) {
        this.#kinds.delete(name);
        throw error;
      }
    });
  }

  /** Lists each kind, so that all that was stored before is known. */
  async list(): Promise<void> {
    await inParallel([...this.#kinds.values()], listsAtOnce, (kind) => kind.list());
  }

  get terminating(): ObjectRecord[] {
    return [...this.#kinds.values()].flatMap((kind) => [...kind.objects]).filter(isBeingDeleted);
  }
}
