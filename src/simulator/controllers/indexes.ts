import {
  type ByKind,
  byController,
  controlledIn,
  type IndexKind,
  type ObjectIndex,
} from '../../controllers/cluster-view.ts';
import { noRecords, type ObjectRecord } from '../../kube/object-record.ts';
import type { ClusterState } from '../engine/cluster-state.ts';

/** Objects of one kind by their keys, as they are at any moment. */
class LiveIndex implements ObjectIndex {
  readonly #sets = new Map<string, Set<ObjectRecord>>();
  /** The same as they were given since they changed. */
  readonly #lists = new Map<string, readonly ObjectRecord[]>();
  readonly #keysOf: IndexKind['keysOf'];

  constructor(state: ClusterState, { resource, keysOf }: IndexKind) {
    this.#keysOf = keysOf;
    for (const record of state.ofResource(resource)) this.#add(record);
    state.watch(({ before, after }) => {
      if (before) this.#remove(before);
      if (after) this.#add(after);
    }, resource);
  }

  get(key: string): readonly ObjectRecord[] {
    const known = this.#lists.get(key);
    if (known) return known;
    const set = this.#sets.get(key);
    if (!set) return noRecords;
    const found = [...set];
    this.#lists.set(key, found);
    return found;
  }

  count(key: string): number {
    return this.#sets.get(key)?.size ?? 0;
  }

  #remove(record: ObjectRecord): void {
    for (const key of this.#keysOf(record)) {
      this.#lists.delete(key);
      this.#sets.get(key)?.delete(record);
    }
  }

  #add(record: ObjectRecord): void {
    if (record.uid === '') return;
    for (const key of this.#keysOf(record)) {
      this.#lists.delete(key);
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
