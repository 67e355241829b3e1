import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';

/** Is the owner where the reference of the dependent says? */
export type IsFound = (
  reference: OwnerReference,
  dependent: ObjectRecord,
  owner: ObjectRecord,
) => boolean;

/**
 * What the garbage collector has listed at its start, in families: objects that references join. A family is given
 * once. Most are never asked for, as nothing happens to them.
 */
export class ListedFamilies {
  readonly #listed: readonly ObjectRecord[];
  /** Where an object stands among what was listed, by uid. */
  readonly #positions = new Map<string, number>();
  /** By the position of an owner: those of the objects that name it. */
  readonly #dependents: (number[] | undefined)[];
  readonly #given = new Set<number>();
  /** Positions of what is being deleted, or names an owner that is not found. */
  readonly #unsettled: number[] = [];

  /** Each object has a uid of its own. */
  constructor(listed: readonly ObjectRecord[], isFound: IsFound) {
    this.#listed = listed;
    this.#dependents = new Array(listed.length);
    // V8 compiles a function that is called often sooner than a loop.
    listed.forEach(({ uid }, at) => {
      this.#positions.set(uid, at);
    });
    listed.forEach((record, at) => {
      let isSettled = record.deletionTimestamp === undefined;
      for (const reference of record.ownerReferences) {
        const owner = this.#positions.get(reference.uid) ?? -1;
        const found = listed[owner];
        if (!found || !isFound(reference, record, found)) isSettled = false;
        const others = this.#dependents[owner];
        if (others) others.push(at);
        else if (found) this.#dependents[owner] = [at];
      }
      if (!isSettled) this.#unsettled.push(at);
    });
  }

  /** The families in which there is something to do, in the order of the list. */
  takeUnsettled(): ObjectRecord[] {
    return this.#take(this.#unsettled);
  }

  /** The family of an object; nothing where it was given before, or is not listed. */
  take(uid: string): ObjectRecord[] {
    const at = this.#positions.get(uid);
    return at === undefined || this.#given.has(at) ? [] : this.#take([at]);
  }

  #take(positions: readonly number[]): ObjectRecord[] {
    const family = new Set(positions);
    for (const at of family) {
      this.#given.add(at);
      for (const { uid } of this.#listed[at]?.ownerReferences ?? []) {
        const owner = this.#positions.get(uid);
        if (owner !== undefined) family.add(owner);
      }
      for (const dependent of this.#dependents[at] ?? []) family.add(dependent);
    }
    return [...family].sort((a, b) => a - b).flatMap((at) => this.#listed[at] ?? []);
  }
}
