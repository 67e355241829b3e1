import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';

/** Who owns whom by uid alone, as in the garbage collector's own graph (GC-5). */
export interface Owners {
  /** The observed object with this uid; undefined for a virtual owner (GC-6). */
  withUid(uid: string): ObjectRecord | undefined;
  /** Objects with a reference to this uid, in their order; each once. */
  dependentsOf(uid: string): readonly ObjectRecord[];
  /**
   * Visits every reference once, with the observed object of its uid; those to one owner together, so that each owner is
   * looked up once.
   */
  eachReference(visit: VisitReference): void;
  /** Has no uid two objects? */
  areDistinct(): boolean;
}

type VisitReference = (
  reference: OwnerReference,
  dependent: ObjectRecord,
  owner: ObjectRecord | undefined,
) => void;

const none: readonly ObjectRecord[] = Object.freeze([]);

/** Each index is made when it is first asked for. Of two objects with one uid, the first counts. */
export function ownersAmong(records: readonly ObjectRecord[]): Owners {
  let byUid: Map<string, ObjectRecord> | undefined;
  let dependents: Map<string, ObjectRecord[]> | undefined;
  const indexed = () => {
    if (byUid) return byUid;
    byUid = new Map();
    // Of two with one uid the first one counts, so it comes last.
    for (const record of records.toReversed()) byUid.set(record.uid, record);
    byUid.delete('');
    return byUid;
  };
  const grouped = () => {
    if (dependents) return dependents;
    const index = new Map<string, ObjectRecord[]>();
    records.forEach((record) => {
      for (const { uid } of record.ownerReferences) {
        const known = index.get(uid);
        if (!known) index.set(uid, [record]);
        else if (known.at(-1) !== record) known.push(record);
      }
    });
    dependents = index;
    return index;
  };
  return {
    withUid: (uid) => indexed().get(uid),
    dependentsOf: (uid) => (uid === '' ? none : (grouped().get(uid) ?? none)),
    eachReference: (visit) => {
      for (const [uid, some] of grouped()) {
        const owner = indexed().get(uid);
        for (const dependent of some) {
          for (const reference of dependent.ownerReferences) {
            if (reference.uid === uid) visit(reference, dependent, owner);
          }
        }
      }
    },
    areDistinct: () => indexed().size === records.filter(({ uid }) => uid !== '').length,
  };
}
