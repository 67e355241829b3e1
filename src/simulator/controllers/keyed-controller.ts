import type { ClusterView } from '../../controllers/cluster-view.ts';
import type { Decision } from '../../controllers/controller.ts';
import type { ControllerId } from '../../controllers/controller-ids.ts';
import type { ControllerSettings } from '../../controllers/settings/controller-settings.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { type Change, type ClusterState, storedAs } from '../engine/cluster-state.ts';
import type { Actor } from '../engine/timeline.ts';

/**
 * An event-driven controller: it processes one object at a time, whenever an object that it watches
 * changes.
 */
export interface KeyedController {
  readonly id: ControllerId;
  readonly controller: Actor;
  readonly passes?: undefined;
  /** Not one of kube-controller-manager: `--controllers` does not turn it off. */
  readonly isElsewhere?: boolean;
  /** Kinds of the objects that it works through, as in `jobs.batch`. */
  readonly kinds: readonly string[];
  /** Kinds of all that it decides by. */
  readonly reads: readonly string[];
  /** Those of its kinds that are there at the start, where others need not be asked about. */
  present?(cluster: Cluster): Iterable<ObjectRecord>;
  /** Could it have anything to do with this object of its kinds? It is asked often and must be cheap. */
  concerns(record: ObjectRecord, cluster: Cluster): boolean;
  /** Other objects of its kinds to look at because this one was written. */
  affected?(change: Change, cluster: Cluster): readonly (ObjectRecord | undefined)[];
  decide(record: ObjectRecord, cluster: Cluster, occasion: Occasion): readonly Decision[];
  /** Objects that share one of these names act on each other. */
  linksOf?(record: ObjectRecord, cluster: Cluster): readonly string[];
}

/** What a controller knows of the cluster. */
export interface Cluster {
  readonly state: ClusterState;
  readonly view: ClusterView;
  readonly indexes: Indexes;
  readonly settings: ControllerSettings;
  /** When the controllers started, if known; epoch milliseconds. */
  readonly startedAt: number | undefined;
  /** Taint eviction: when a pod's time is up, by its uid. */
  readonly evictions: Map<string, number>;
}

export interface Occasion {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Nothing has changed: the controller starts, or it ran before the simulation. */
  readonly isFirst: boolean;
  /** It ran before the simulation. */
  readonly ranBefore: boolean;
}

/**
 * A view for deciding about one object: of its kind it lists only that object. `lists` replace
 * lists that would be slow to build.
 */
export function focusOn(
  record: ObjectRecord,
  view: ClusterView,
  lists: Readonly<Record<string, readonly ObjectRecord[]>> = {},
): ClusterView {
  const own = storedAs(record.type);
  const listed = (resource: string) => (resource === own ? [record] : lists[resource]);
  return {
    all: (resource) => listed(resource) ?? [],
    in: (resource, namespace) => listed(resource) ?? view.in(resource, namespace),
    at: (resource, namespace, name) => view.at(resource, namespace, name),
    covers: (resource, namespace, name) => view.covers(resource, namespace, name),
  };
}

/** Objects of one kind by keys of their own, as they are at any moment. */
class ObjectIndex {
  readonly #sets = new Map<string, Set<ObjectRecord>>();
  readonly #keysOf: (record: ObjectRecord) => readonly string[];

  constructor(
    state: ClusterState,
    resource: string,
    keysOf: (record: ObjectRecord) => readonly string[],
  ) {
    this.#keysOf = keysOf;
    for (const record of state.ofResource(resource)) this.#add(record);
    const isOurs = new Map<ResourceType, boolean>();
    state.watch(({ before, after }) => {
      const type = (after ?? before)?.type;
      if (!type) return;
      let ours = isOurs.get(type);
      if (ours === undefined) {
        ours = storedAs(type) === resource;
        isOurs.set(type, ours);
      }
      if (!ours) return;
      if (before) for (const key of keysOf(before)) this.#sets.get(key)?.delete(before);
      if (after) this.#add(after);
    });
  }

  get(key: string): readonly ObjectRecord[] {
    return [...(this.#sets.get(key) ?? [])];
  }

  count(key: string): number {
    return this.#sets.get(key)?.size ?? 0;
  }

  #add(record: ObjectRecord): void {
    if (record.uid === '') return;
    for (const key of this.#keysOf(record)) {
      const set = this.#sets.get(key);
      if (set) set.add(record);
      else this.#sets.set(key, new Set([record]));
    }
  }
}

/** How objects of a kind are looked up. */
export interface IndexKind {
  readonly resource: string;
  keysOf(record: ObjectRecord): readonly string[];
}

/** The indexes of one run; each is made when it is first asked for. */
export class Indexes {
  readonly #state: ClusterState;
  readonly #made = new Map<IndexKind, ObjectIndex>();

  constructor(state: ClusterState) {
    this.#state = state;
  }

  of(kind: IndexKind): Pick<ObjectIndex, 'get' | 'count'> {
    let index = this.#made.get(kind);
    if (!index) {
      index = new ObjectIndex(this.#state, kind.resource, kind.keysOf);
      this.#made.set(kind, index);
    }
    return index;
  }
}
