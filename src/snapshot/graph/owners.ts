import { noRecords, type ObjectRecord, type OwnerReference } from '../../kube/object-record.ts';
import { apiVersionOf } from '../../kube/resource-type.ts';

/** Who owns whom by uid alone, as in the garbage collector's own graph (GC-5). */
export interface Owners {
  /** The observed object with this uid; undefined for a virtual owner (GC-6). */
  withUid(uid: string): ObjectRecord | undefined;
  /** Objects with a reference to this uid, in their order; each once. */
  dependentsOf(uid: string): readonly ObjectRecord[];
  /**
   * Objects with references, in their order, except those that certainly have an owner: the only reference of such an
   * object matches an observed object, which is not the object itself and is not being deleted in the foreground.
   */
  unverifiedDependents(): readonly ObjectRecord[];
  /** Those of them that have a reference of which `isFound` says that it leads to no observed owner. */
  withMissingOwner(isFound: IsFound): readonly ObjectRecord[];
  /** Objects that own others and have references themselves. */
  intermediate(): readonly ObjectRecord[];
  /** Has no uid two objects? */
  areDistinct(): boolean;
}

/** Is the observed owner where the reference of the dependent says? */
export type IsFound = (
  reference: OwnerReference,
  dependent: ObjectRecord,
  owner: ObjectRecord,
) => boolean;

/** The observed object of one uid, and what refers to that. */
interface OwnerEntry {
  readonly owner: ObjectRecord | undefined;
  readonly resolves: boolean;
  readonly dependents: ObjectRecord[];
}

/**
 * Each index is made when it is first asked for. Of two objects with one uid, the first counts. `resolves`: is this the
 * object that is found by its version, kind and name? Where that is not known, all objects with references are doubtful.
 */
export function ownersAmong(
  records: readonly ObjectRecord[],
  resolves: (owner: ObjectRecord) => boolean = () => false,
): Owners {
  let byUid: Map<string, ObjectRecord> | undefined;
  let isDistinct: boolean | undefined;
  let found: OwnerEntries | undefined;
  const indexed = () => {
    if (byUid) return byUid;
    byUid = new Map();
    // Of two with one uid the first one counts, so it comes last.
    for (const record of records.toReversed()) byUid.set(record.uid, record);
    byUid.delete('');
    return byUid;
  };
  const grouped = () => {
    found ??= ownerEntries(records, indexed(), resolves);
    return found;
  };
  const areDistinct = () => {
    isDistinct ??= indexed().size === records.filter(({ uid }) => uid !== '').length;
    return isDistinct;
  };
  return {
    withUid: (uid) => indexed().get(uid),
    dependentsOf: (uid) =>
      uid === '' ? noRecords : (grouped().entries.get(uid)?.dependents ?? noRecords),
    unverifiedDependents: () => grouped().unverified,
    withMissingOwner: (isFound) =>
      grouped().unverified.filter((dependent) =>
        dependent.ownerReferences.some((reference) => {
          const owner = indexed().get(reference.uid);
          return !owner || !isFound(reference, dependent, owner);
        }),
      ),
    intermediate: () => {
      const { entries } = grouped();
      const owning = areDistinct()
        ? [...entries.values()].flatMap(({ owner }) => owner ?? [])
        : records.filter(({ uid }) => uid !== '' && entries.has(uid));
      return owning.filter(({ ownerReferences }) => ownerReferences.length > 0);
    },
    areDistinct,
  };
}

/** The entries by the uids of their owners, and the dependents of which it is open whether an owner is the one they name. */
interface OwnerEntries {
  readonly entries: ReadonlyMap<string, OwnerEntry>;
  readonly unverified: readonly ObjectRecord[];
}

function ownerEntries(
  records: readonly ObjectRecord[],
  byUid: ReadonlyMap<string, ObjectRecord>,
  resolves: (owner: ObjectRecord) => boolean,
): OwnerEntries {
  const entries = new Map<string, OwnerEntry>();
  const unverified: ObjectRecord[] = [];
  const entryOf = (uid: string): OwnerEntry => {
    const known = entries.get(uid);
    if (known) return known;
    const owner = byUid.get(uid);
    const entry = { owner, resolves: owner !== undefined && resolves(owner), dependents: [] };
    entries.set(uid, entry);
    return entry;
  };
  for (const record of records) {
    const { ownerReferences } = record;
    let isUnverified = ownerReferences.length > 1;
    for (const reference of ownerReferences) {
      const { owner, resolves: isResolved, dependents } = entryOf(reference.uid);
      if (dependents.at(-1) !== record) dependents.push(record);
      isUnverified ||= !owner || !isResolved || !isNamedBy(reference, record, owner);
    }
    if (isUnverified) unverified.push(record);
  }
  return { entries, unverified };
}

/** Is the owner another object that is where the reference of the dependent says? */
function isNamedBy(
  { apiVersion, kind, name }: OwnerReference,
  dependent: ObjectRecord,
  owner: ObjectRecord,
): boolean {
  const { type } = owner;
  if (name !== owner.name || kind !== type.kind || apiVersion !== apiVersionOf(type)) return false;
  if (owner.uid === dependent.uid) return false;
  if (!type.namespaced) return owner.namespace === '';
  return dependent.type.namespaced && owner.namespace === dependent.namespace;
}
