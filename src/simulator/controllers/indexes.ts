import { controllerOf } from '../../controllers/decision.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { type ResourceType, storedAs } from '../../kube/resource-type.ts';
import type { ClusterState } from '../engine/cluster-state.ts';

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

/** The name by which others of its namespace call an object. */
export function ownName({ namespace, name }: ObjectRecord): readonly string[] {
  return [`${namespace}/${name}`];
}

const indexesByController = new Map<string, IndexKind>();

/** Objects of a kind by the uid of their controller. */
export function byController(resource: string): IndexKind {
  const known = indexesByController.get(resource) ?? { resource, keysOf: controllerUid };
  indexesByController.set(resource, known);
  return known;
}

/** None of an object without a controller. */
export function controllerUid(record: ObjectRecord): readonly string[] {
  const controller = controllerOf(record);
  return controller ? [controller.uid] : [];
}

/** The controller of an object, where that is of this kind and lives. */
export function controlling(
  record: ObjectRecord | undefined,
  resource: string,
  state: ClusterState,
): ObjectRecord | undefined {
  const reference = record && controllerOf(record);
  const found = reference && state.at(resource, record.namespace, reference.name);
  return found?.uid === reference?.uid && found && !isBeingDeleted(found) ? found : undefined;
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
