import type { ObjectRecord } from '../kube/object-record.ts';
import type { ResourceType } from '../kube/resource-type.ts';

/** A kind, and the namespaces in which all its objects were shown; undefined: in every namespace. */
export interface ShownKind {
  readonly type: ResourceType;
  readonly namespaces: ReadonlySet<string> | undefined;
}

/**
 * Objects that an input shows together: the items of one list, or the single objects of one file. What was asked for is
 * not written there, so it is concluded from the namespaces of the objects.
 */
export class ShownTogether {
  readonly path: string;
  readonly #isList: boolean;
  readonly #namespaces = new Map<ResourceType, Set<string>>();
  #first: ObjectRecord | undefined;
  #objects = 0;

  constructor(path: string, isList: boolean) {
    this.path = path;
    this.#isList = isList;
  }

  add(record: ObjectRecord): void {
    this.#first ??= record;
    this.#objects++;
    const namespaces = this.#namespaces.get(record.type) ?? new Set();
    this.#namespaces.set(record.type, namespaces.add(record.namespace));
  }

  get isEmpty(): boolean {
    return this.#objects === 0;
  }

  get namespaces(): ReadonlySet<string> {
    const all = [...this.#namespaces.values()].flatMap((namespaces) => [...namespaces]);
    return new Set(all.filter((namespace) => namespace !== ''));
  }

  /** An object that is alone in a file was asked for by its name: no other one of its kind is known to be absent. */
  get single(): ObjectRecord | undefined {
    return !this.#isList && this.#objects === 1 ? this.#first : undefined;
  }

  /**
   * A list of objects in several namespaces is one of all namespaces, as `kubectl get -A` prints it. `finalType`: records
   * had another type when they were added.
   */
  kinds(finalType: (type: ResourceType) => ResourceType): ShownKind[] {
    if (this.single) return [];
    const isOfAll = this.#isList && this.namespaces.size > 1;
    return [...this.#namespaces].map(([shown, namespaces]) => {
      const type = finalType(shown);
      return { type, namespaces: isOfAll || !type.namespaced ? undefined : namespaces };
    });
  }
}
