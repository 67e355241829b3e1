import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import type { IsFound, Owners } from '../../snapshot/graph/owners.ts';
import { reachedFrom } from '../engine/acting-records.ts';

/**
 * What the garbage collector has listed at its start, in families: objects that references join. A family is given
 * once. Most are never asked for, as nothing happens to them.
 */
export class ListedFamilies {
  readonly #listed: readonly ObjectRecord[];
  readonly #owners: Owners;
  readonly #isListed: (record: ObjectRecord) => boolean;
  /** Where an object stands among what was listed; made for the first family of several objects. */
  #positions: ReadonlyMap<ObjectRecord, number> | undefined;
  readonly #given = new Set<ObjectRecord>();
  /** What became of objects whose families were not given, by their uids; undefined: they were deleted. */
  readonly #now = new Map<string, ObjectRecord | undefined>();

  /** No two objects have the same uid. `owners`: among all listed objects, and perhaps more. */
  constructor(
    listed: readonly ObjectRecord[],
    owners: Owners,
    isListed: (record: ObjectRecord) => boolean,
  ) {
    this.#listed = listed;
    this.#owners = owners;
    this.#isListed = isListed;
  }

  /**
   * The families in which there is something to do, in the order of the list: something is being deleted, or names an
   * owner that is not found.
   */
  takeUnsettled(isFound: IsFound): ObjectRecord[] {
    const lost = this.#owners.withMissingOwner(
      (reference, dependent, owner) =>
        this.#isListed(owner) && isFound(reference, dependent, owner),
    );
    const unsettled = [
      ...this.#listed.filter(isBeingDeleted),
      ...lost.filter((dependent) => this.#isListed(dependent)),
    ];
    const families = this.#take(unsettled);
    return this.#listed.filter((record) => families.has(record));
  }

  /** The family of an object; nothing where it was given before, or is not listed. */
  take(uid: string): ObjectRecord[] {
    const record = this.#waiting(uid);
    if (!record) return [];
    const family = [...this.#take([record])];
    if (family.length > 1) {
      const positions = this.#positions ?? new Map(this.#listed.map((one, at) => [one, at]));
      this.#positions = positions;
      family.sort((a, b) => (positions.get(a) ?? 0) - (positions.get(b) ?? 0));
    }
    return family.flatMap((one) => (this.#now.has(one.uid) ? (this.#now.get(one.uid) ?? []) : one));
  }

  /** Has an object changed that waits with its family, and nothing that its family has to do with? */
  update(after: ObjectRecord): boolean {
    const { uid, ownerReferences } = after;
    const isSame = this.#waiting(uid)?.ownerReferences === ownerReferences;
    // Two references may have one uid, which makes a difference at each update.
    if (!isSame || ownerReferences.length > 1 || isBeingDeleted(after)) return false;
    this.#now.set(uid, after);
    return true;
  }

  /** Was an object deleted that waits with its family, and has no dependents? */
  remove({ uid }: ObjectRecord): boolean {
    const isLeft = (dependent: ObjectRecord) => this.#waiting(dependent.uid) !== undefined;
    if (!this.#waiting(uid) || this.#owners.dependentsOf(uid).some(isLeft)) return false;
    this.#now.set(uid, undefined);
    return true;
  }

  /** An object as it was listed, where its family was not given and it was not deleted. */
  #waiting(uid: string): ObjectRecord | undefined {
    const record = this.#owners.withUid(uid);
    if (!record || !this.#isListed(record) || this.#given.has(record)) return undefined;
    return this.#now.has(uid) && this.#now.get(uid) === undefined ? undefined : record;
  }

  #take(records: readonly ObjectRecord[]): ReadonlySet<ObjectRecord> {
    const owners = this.#owners;
    const family = reachedFrom(records, ({ uid, ownerReferences }) =>
      [
        ...ownerReferences.flatMap((reference) => owners.withUid(reference.uid) ?? []),
        ...owners.dependentsOf(uid),
      ].filter(this.#isListed),
    );
    for (const record of family) this.#given.add(record);
    return family;
  }
}
