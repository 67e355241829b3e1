import {
  type ByKind,
  byController,
  controlledIn,
  type IndexKind,
  type ObjectIndex,
} from '../../controllers/by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ResourceType, storedAs } from '../../kube/resource-type.ts';
import type { ClusterState } from '../engine/cluster-state.ts';

const noRecords: readonly ObjectRecord[] = Object.freeze([]);

/** Objects of one kind by their keys, as they are at any moment. */
class LiveIndex implements ObjectIndex {
  readonly #sets = new Map<string, Set<ObjectRecord>>();
  readonly #keysOf: IndexKind['keysOf'];

  constructor(state: ClusterState, { resource, keysOf }: IndexKind) {
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
    const found = this.#sets.get(key);
    return found ? [...found] : noRecords;
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

/** What is stored during a run, as it is at any moment; an index is made when it is first asked for. */
export function liveObjects(state: ClusterState): ByKind {
  const made = new Map<IndexKind, LiveIndex>();
  const index = (kind: IndexKind) => {
    const found = made.get(kind) ?? new LiveIndex(state, kind);
    made.set(kind, found);
    return found;
  };
  return {
    records: () => state.all().filter(({ uid }) => uid !== ''),
    all: (resource) => state.ofResource(resource).filter(({ uid }) => uid !== ''),
    in: (resource, namespace) =>
      state.ofResource(resource, namespace).filter(({ uid }) => uid !== ''),
    at: (resource, namespace, name) => state.at(resource, namespace, name),
    controlledBy: (resource, owner) => controlledIn(index(byController(resource)), owner),
    index,
  };
}
